import { expect, test } from "vitest";
import { chat } from "../../../src/dialects/chat/reader.ts";
import { draftMessage } from "../../../src/dialects/drafts.ts";
import type { JsonObject, ToolCall } from "../../../src/index.ts";
import { calls, chunk, entry } from "../../chat-chunks.ts";

const read = (payload: JsonObject) => chat.openReader().read(payload, undefined);

const base = {
  type: "call",
  choice: 0,
  index: "0",
  id: "a",
  name: "f",
  isCustom: false,
  isFurther: false,
  isFromMessage: false,
  fragment: "{}",
  extra: undefined,
};

test.each<[string, object, object]>([
  ["a whole entry", entry(0, "a", "f", "{}"), base],
  [
    "null, empty and missing fields",
    entry("", null, "", "{}"),
    { ...base, index: undefined, id: undefined, name: undefined },
  ],
  ["an index of any kind", entry(4e9, "a", "f", "{}"), { ...base, index: "4000000000" }],
  ["an object as arguments", entry(0, "a", "f", {}), base],
  [
    "a custom tool",
    { index: 0, id: "a", type: "custom", custom: { name: "f", input: "{}" } },
    { ...base, isCustom: true },
  ],
  [
    "a custom tool by its type alone",
    { index: 0, id: "a", type: "custom" },
    { ...base, name: undefined, isCustom: true, fragment: "" },
  ],
  ["an empty custom beside the function", { ...entry(0, "a", "f", "{}"), custom: {} }, base],
  [
    "unknown fields of a function",
    { index: 0, id: "a", function: { name: "f", arguments: "{}", x: 1 }, y: 2 },
    { ...base, extra: { y: 2, function: { x: 1 } } },
  ],
  [
    "unknown fields of a custom tool",
    { index: 0, id: "a", custom: { name: "f", input: "{}", x: 1 } },
    { ...base, isCustom: true, extra: { custom: { x: 1 } } },
  ],
  ["unknown fields", { ...entry(0, "a", "f", "{}"), x: 1, y: null }, { ...base, extra: { x: 1 } }],
])("chat.read gives a call delta for %s", (_name, call, delta) => {
  expect(read({ ...calls(call) })).toEqual([
    { ...delta, places: [{ holder: call, field: "id", mayInsert: true, text: undefined }] },
  ]);
});

test("chat.read gives text and reasoning under their fields", () => {
  const text = { choice: 0, isFromMessage: false };
  expect(
    read({ ...chunk({ reasoning: "r", reasoning_content: "r", content: "c", refusal: "n" }) }),
  ).toEqual([
    { type: "reasoning", field: "reasoning_content", value: "r", ...text },
    { type: "field", field: "reasoning", value: "r", ...text },
    { type: "text", field: "content", value: "c", ...text },
    { type: "field", field: "refusal", value: "n", ...text },
  ]);
  const parts = [{ type: "text", text: "a" }, { type: "image" }, { type: "text", text: "b" }];
  expect(read({ ...chunk({ content: parts }) })).toEqual([
    { type: "text", field: "content", value: "ab", ...text },
  ]);
});

test.each<[string, object, object]>([
  [
    "a message beside a delta that is no object",
    { delta: "text", message: { content: "not read" } },
    { type: "choice", choice: 0 },
  ],
  [
    "a function_call without fields",
    { delta: { function_call: {} } },
    { type: "choice", choice: 0 },
  ],
  [
    "parts of content that are no objects",
    { delta: { content: ["a", null, { type: "text", text: "b" }] } },
    { type: "text", choice: 0, field: "content", value: "b", isFromMessage: false },
  ],
])("chat.read leaves out %s", (_name, choice, delta) => {
  expect(read({ choices: [choice] })).toEqual([delta]);
});

test.each([
  [undefined, 0],
  ["1", 1],
  [2, 2],
  ["x", 0],
])("chat.read takes choice index %j for %i", (index, choice) => {
  expect(read({ choices: [{ index, delta: {} }] })).toEqual([{ type: "choice", choice }]);
});

test.each([
  [{ choices: [] }, true],
  [{ object: "chat.completion.chunk", choices: null }, true],
  [{ object: "chat.completion" }, true],
  [{ choices: null }, false],
  [{ type: "message_start" }, false],
  [{ error: "x" }, false],
])("chat.matches(%j) is %s", (payload, isChat) => {
  expect(chat.matches(payload, undefined)).toBe(isChat);
});

const call = (facts: Partial<ToolCall>): ToolCall =>
  ({
    id: "call_1",
    providerId: "f:0",
    type: "function",
    name: "f",
    arguments: '{"x":1}',
    status: "complete",
    input: { x: 1 },
    error: undefined,
    choice: 0,
    index: 0,
    dialect: "chat",
    extra: undefined,
    ...facts,
  }) as ToolCall;

/** The message that deltas add up to, and how long it is. */
function draft(payloads: readonly object[], ofCalls: readonly ToolCall[] = []) {
  const message = draftMessage("chat");
  let length = 0;
  for (const delta of payloads.flatMap((payload) => read({ ...payload }))) {
    if ("field" in delta) length += message.add(delta) ?? 0;
  }
  return { message: message.write(ofCalls), length };
}

test("The message takes calls as servers take them back", () => {
  const error = { code: "truncated", message: "" } as const;
  const { message } = draft(
    [chunk({ reasoning_content: "r" }), chunk({ content: "c" })],
    [
      call({ extra: { extra_content: { s: 1 }, function: { strict: true } } }),
      call({ id: "call_2", status: "incomplete", arguments: '{"x":', input: undefined, error }),
      call({ id: "call_3", status: "incomplete", name: "", input: undefined, error }),
      call({ id: "call_4", type: "custom", arguments: "1 +", input: "1 +" }),
    ],
  );
  expect(message).toEqual({
    role: "assistant",
    content: "c",
    reasoning_content: "r",
    tool_calls: [
      {
        extra_content: { s: 1 },
        id: "call_1",
        type: "function",
        function: { strict: true, name: "f", arguments: '{"x":1}' },
      },
      { id: "call_2", type: "function", function: { name: "f", arguments: "{}" } },
      { id: "call_3", type: "function", function: { name: "unnamed_tool", arguments: "{}" } },
      { id: "call_4", type: "custom", custom: { name: "f", input: "1 +" } },
    ],
  });
});

const wholeMessage = (message: object): object => ({ choices: [{ index: 0, message }] });

test.each<[string, object[], object]>([
  ["no calls for an empty list", [chunk({ tool_calls: [] })], { content: null }],
  ["null for content that is empty", [chunk({ content: "" })], { content: null }],
  ["no refusal for an empty one", [chunk({ content: "a", refusal: "" })], { content: "a" }],
  [
    "texts in pieces",
    [
      chunk({ content: "a", reasoning: "r", reasoning_content: "r", refusal: "n" }),
      chunk({ content: "b", reasoning: "s", reasoning_content: "s", refusal: "o" }),
    ],
    { content: "ab", reasoning: "rs", reasoning_content: "rs", refusal: "no" },
  ],
  [
    "the last value of an unknown field",
    [chunk({ x: { a: 1 } }), chunk({ x: "long" }), chunk({ x: null, y: [] })],
    { content: null, x: "long" },
  ],
  [
    "audio, its data and transcript in pieces",
    [
      chunk({ audio: { id: "a", transcript: "t" } }),
      chunk({ audio: { data: "QU", transcript: "u" } }),
      chunk({ audio: { data: "JD", expires_at: 5, id: null } }),
    ],
    { content: null, audio: { id: "a", data: "QUJD", transcript: "tu", expires_at: 5 } },
  ],
  [
    "reasoning_details by index and type",
    [
      chunk({ reasoning_details: [{ type: "reasoning.text", text: "a", index: 0 }, "b"] }),
      chunk({
        reasoning_details: [
          { type: "reasoning.text", text: "c", signature: "s", index: 0 },
          { type: "reasoning.encrypted", data: "d", index: 0 },
        ],
      }),
      chunk({ reasoning_details: [{ type: "reasoning.summary", summary: "e", index: 1 }] }),
      chunk({ reasoning_details: [{ type: "reasoning.summary", summary: "f", index: 1 }] }),
    ],
    {
      content: null,
      reasoning_details: [
        { type: "reasoning.text", text: "ac", signature: "s", index: 0 },
        { type: "reasoning.encrypted", data: "d", index: 0 },
        { type: "reasoning.summary", summary: "ef", index: 1 },
      ],
    },
  ],
  [
    "of a whole message, what its deltas have not brought",
    [chunk({ content: "a", x: 1 }), wholeMessage({ content: "b", x: 2, y: 3, refusal: "no" })],
    { content: "a", x: 1, y: 3, refusal: "no" },
  ],
])("The message has %s", (_name, payloads, fields) => {
  expect(draft(payloads).message).toEqual({ role: "assistant", ...fields });
});

test("The message keeps a field that is named as a prototype", () => {
  const { message } = draft([
    JSON.parse(JSON.stringify(chunk({ x: 1 })).replace('"x"', '"__proto__"')),
  ]);
  expect(JSON.stringify(message)).toBe('{"role":"assistant","content":null,"__proto__":1}');
});

test("The message counts what it holds, not what it has held", () => {
  const many = Array.from({ length: 100 }, () => chunk({ x: "1234" }));
  expect(draft(many).length).toBe('x"1234"'.length);
  expect(draft([chunk({ content: "ab" }), chunk({ content: "c" })]).length).toBe(3);
});
