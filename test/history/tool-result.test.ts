import { expect, test } from "vitest";
import { type Dialect, toolResult } from "../../src/index.ts";
import { assemble, calls, entry, finish } from "../chat-chunks.ts";
import { toolCall } from "../dialects/tool-call.ts";
import { ending, input, toolStart } from "../messages-events.ts";

const [call, nameless] = assemble([
  calls(entry(0, "f:0", "f", '{"x":1}'), entry(1, "b", "", "{")),
  finish("stop"),
]).calls;
if (call === undefined || nameless === undefined) throw new Error("The calls are missing");

test.each([
  ["a string", "plain", "plain"],
  ["an object", { a: [1] }, '{"a":[1]}'],
  ["null", null, "null"],
  ["undefined", undefined, ""],
  ["a function", () => {}, ""],
  ["an error", new RangeError("No such city"), "No such city"],
  ["an error without a message", new RangeError(), "RangeError"],
])("toolResult answers with %s", (_name, output, content) => {
  expect(toolResult(call, output)).toEqual({
    role: "tool",
    tool_call_id: call.id,
    name: "f",
    content,
  });
});

test("toolResult tells the model why a call was not executed", () => {
  expect(toolResult(nameless, nameless.error)).toEqual({
    role: "tool",
    tool_call_id: nameless.id,
    name: "unnamed_tool",
    content: JSON.stringify(nameless.error),
  });
});

const cycle: { self?: object } = {};
cycle.self = cycle;

test.each([
  ["a BigInt", 5n],
  ["a cycle", cycle],
])("toolResult cannot write %s", (_name, output) => {
  expect(() => toolResult(call, output)).toThrow(
    new TypeError("Cannot answer call: its output cannot be written as JSON"),
  );
});

test("toolResult cannot answer a call of an unknown dialect", () => {
  expect(() => toolResult({ ...call, dialect: "other" as "chat" }, "")).toThrow(TypeError);
});

test("toolResult of the messages dialect marks what was not executed", () => {
  const [complete, incomplete] = assemble([
    toolStart(0, "f"),
    input(0, '{"x":1}'),
    toolStart(1, "g"),
    input(1, "{"),
    ...ending,
  ]).calls;
  if (complete === undefined || incomplete === undefined) throw new Error("The calls are missing");
  expect(toolResult(complete, { a: 1 })).toEqual({
    type: "tool_result",
    tool_use_id: complete.id,
    content: '{"a":1}',
  });
  expect(toolResult(incomplete, incomplete.error)).toEqual({
    type: "tool_result",
    tool_use_id: incomplete.id,
    content: JSON.stringify(incomplete.error),
    is_error: true,
  });
});

test("toolResult of the messages dialect marks what a tool threw, and never leaves an error blank", () => {
  const messagesCall = toolCall({ dialect: "messages" });
  const result = { type: "tool_result", tool_use_id: messagesCall.id };
  const error = new RangeError("No such city");
  for (const thrown of [
    toolResult(messagesCall, error),
    toolResult(messagesCall, "No such city", { isError: true }),
    toolResult(messagesCall, error, { isError: false }),
  ]) {
    expect(thrown).toEqual({ ...result, content: "No such city", is_error: true });
  }
  const blank = toolResult(messagesCall, undefined, { isError: true });
  expect(blank).toEqual({ ...result, content: "Error", is_error: true });
  expect(toolResult(messagesCall, "", { isError: false })).toEqual({ ...result, content: "" });
});

test("toolResult of the other dialects has no mark for what a tool threw", () => {
  for (const dialect of ["chat", "responses"] as const) {
    const each = toolCall({ dialect });
    expect(toolResult(each, "No such city", { isError: true })).toEqual(
      toolResult(each, new RangeError("No such city")),
    );
    expect(toolResult(each, "No such city", { isError: true })).toEqual(
      toolResult(each, "No such city"),
    );
  }
});

/** Parts that a result may have, each with all that it must have. */
const PARTS: Readonly<Record<Dialect, readonly object[]>> = {
  chat: [
    { type: "text", text: "" },
    { type: "image_url", image_url: { url: "data:" } },
    { type: "input_audio", input_audio: { data: "", format: "wav" } },
    { type: "file", file: { file_id: "f" } },
  ],
  messages: [
    { type: "text", text: "It is up", cache_control: { type: "ephemeral" } },
    { type: "image", source: { type: "url", url: "https://a.example" } },
    { type: "document", source: { type: "text", media_type: "text/plain", data: "" } },
    { type: "search_result", source: "", title: "", content: [] },
    { type: "tool_reference", tool_name: "f" },
  ],
  responses: [
    { type: "input_text", text: "It is up" },
    { type: "input_image", image_url: "data:", detail: "auto" },
    { type: "input_image", file_id: "f", detail: "auto" },
    { type: "input_file", file_id: "f" },
    { type: "input_file", file_data: "data:", filename: "a.pdf" },
    { type: "input_file", file_url: "https://a.example" },
  ],
};

/** Lists that are data, whatever their elements look like. */
const DATA: Readonly<Record<Dialect, readonly unknown[]>> = {
  chat: [
    { type: "text" },
    { type: "text", text: 5 },
    { type: "file", file: "a.txt" },
    { type: "image_url", image_url: null },
    { type: "image_url", text: "" },
    { type: "refusal", refusal: "No" },
    { text: "" },
    { type: ["text"], text: {} },
  ],
  messages: [
    { type: "image", source: "logo.png" },
    { type: "document", source: null },
    { type: "search_result", content: "" },
    { type: "tool_use", id: "a" },
  ],
  responses: [
    { type: "input_image", detail: "auto" },
    { type: "input_image", image_url: { url: "data:" } },
    { type: "input_file", filename: "a.pdf" },
    { type: "output_text", text: "" },
  ],
};

const DIALECTS = ["chat", "messages", "responses"] as const;

/** What a result of that dialect says. */
function contentOf(dialect: Dialect, output: unknown): unknown {
  const result = toolResult(toolCall({ dialect }), output);
  return "output" in result ? result.output : result.content;
}

test.each(DIALECTS)("a list of content parts is content as it is: %s", (dialect) => {
  for (const part of PARTS[dialect]) expect(contentOf(dialect, [part])).toEqual([part]);
  const list = [...PARTS[dialect]];
  expect(contentOf(dialect, list)).toBe(list);
});

/** Chat and Messages have the same text. */
const isShared = (part: object): boolean => "type" in part && part.type === "text";

test.each(DIALECTS)("every other list is JSON: %s", (dialect) => {
  const foreign = DIALECTS.filter((other) => other !== dialect).flatMap((other) => PARTS[other]);
  const elements = [
    ...foreign.filter((part) => !isShared(part)),
    ...DATA[dialect],
    null,
    "text",
    [],
    5,
  ];
  for (const element of elements) {
    const list = [...PARTS[dialect], element];
    expect(contentOf(dialect, list)).toBe(JSON.stringify(list));
    expect(contentOf(dialect, [element])).toBe(JSON.stringify([element]));
  }
  expect(contentOf(dialect, [])).toBe("[]");
});
