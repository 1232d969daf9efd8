import { expect, test } from "vitest";
import { toolResult } from "../../src/index.ts";
import { assemble, calls, entry, finish } from "../chat-chunks.ts";
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
