import { expect, test } from "vitest";
import { chat } from "../../../src/dialects/chat/reader.ts";
import type { JsonObject } from "../../../src/index.ts";
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
