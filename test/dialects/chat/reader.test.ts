import { expect, test } from "vitest";
import { chatMessage as chat } from "../../../src/dialects/chat/message-reader.ts";
import { chat as chatOnWire } from "../../../src/dialects/chat/reader.ts";
import type { Delta } from "../../../src/dialects/delta.ts";
import type { JsonObject } from "../../../src/index.ts";
import { calls, chunk, entry } from "../../chat-chunks.ts";

const read = (payload: JsonObject) => chat.openReader().read(payload, undefined);
const readOnWire = (payload: JsonObject) => chatOnWire.openReader().read(payload, undefined);

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
  expect(read({ ...calls(call) })).toEqual([{ ...delta, places: undefined }]);
  // Only the wire asks where ids stand.
  expect(readOnWire({ ...calls(call) })).toEqual([
    { ...delta, places: [{ holder: call, field: "id", insert: "first" }] },
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
    { type: "field", field: "content", value: parts, ...text },
    { type: "text", field: "content", value: "a", isOnlyShown: true, ...text },
    { type: "text", field: "content", value: "b", isOnlyShown: true, ...text },
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
])("chat.read leaves out %s", (_name, choice, delta) => {
  expect(read({ choices: [choice] })).toEqual([delta]);
});

/** What is shown of a delta: reasoning in brackets. */
const shown = (delta: object): string =>
  read({ ...chunk(delta) })
    .map((each) => {
      if (each.type === "reasoning") return `(${each.value})`;
      return each.type === "text" ? each.value : "";
    })
    .join("");

const NESTED = "[".repeat(1000) + "]".repeat(1000);
const THOUGHTS = { type: "thinking", thinking: [{ type: "text", text: "b" }, "c"], closed: true };

test.each<[string, object, string]>([
  ["a number", { content: 6 }, "6"],
  ["a boolean", { content: false }, "false"],
  ["a part of text", { content: [{ type: "text", text: "a" }] }, "a"],
  ["a part that is no list", { content: { type: "text", text: "a", index: 0 } }, "a"],
  ["strings in a list", { content: ["a", null, { text: 6 }, { text: { text: "no" } }] }, "a6"],
  ["no refusal", { content: [{ type: "refusal", refusal: "a" }] }, ""],
  ["each name of reasoning", { reasoning_text: "a" }, "(a)"],
  ["the first reasoning alone", { thinking: "b", reasoning: "a", reasoning_content: "" }, "(a)"],
  ["reasoning that is a number", { reasoning_content: 0 }, "(0)"],
  ["reasoning in an object", { reasoning: { text: "a", signature: "s" } }, "(a)"],
  ["reasoning in a list", { reasoning: [{ text: "a" }, { summary: "b" }] }, "(ab)"],
  ["no reasoning in a boolean", { thinking: true, reasoning_text: null }, ""],
  ["no text that is nested too deep", { thinking: JSON.parse(NESTED) }, ""],
  ["reasoning in parts of content", { content: [THOUGHTS, { text: "a" }] }, "(bc)a"],
  ["reasoning in parts once", { content: [THOUGHTS, { text: "a" }], reasoning: "bc" }, "(bc)a"],
])("chat.read shows %s", (_name, delta, text) => {
  expect(shown(delta)).toBe(text);
});

test.each(["tool", "user", "system", "developer", "function"])(
  "chat.read reads only the calls of role %s",
  (role) => {
    const call = entry(0, "a", "f", "{}");
    const deltas = read({ ...chunk({ role, content: "a", x: 1, tool_calls: [call] }) });
    expect(deltas).toMatchObject([{ type: "call", id: "a" }]);
  },
);

test("chat.read takes any other role for that of the assistant", () => {
  expect(read({ ...chunk({ role: "model", content: "a" }) })).toMatchObject([{ value: "a" }]);
});

test.each<[string, object[], string[]]>([
  ["of another type", [{ type: "web_search", index: 0 }], ["field"]],
  [
    "that go on without type",
    [
      { type: "t", index: 0 },
      { index: 0, x: 1 },
    ],
    ["field", "field"],
  ],
  [
    "at another index",
    [
      { type: "t", index: 0 },
      { index: 1, x: 1 },
    ],
    ["field", "call"],
  ],
  ["that become a call", [{ type: "t", index: 0 }, entry(0, "a", "f")], ["field", "call"]],
  ["without index", [{ type: "t" }, { x: 1 }], ["field", "call"]],
  ["with a function", [{ type: "t", function: { name: "f" } }], ["call"]],
])("chat.read knows entries of tool_calls %s", (_name, entries, types) => {
  const reader = chat.openReader();
  const deltas = entries.flatMap((each) => reader.read({ ...calls(each) }, undefined));
  expect(deltas.map(({ type }) => type)).toEqual(types);
});

test("chat.read keeps only so many entries in mind", () => {
  const reader = chat.openReader();
  for (let index = 0; index < 1025; index += 1) {
    reader.read({ ...calls({ type: "t", index }) }, undefined);
  }
  expect(reader.read({ ...calls({ index: 1023, x: 1 }) }, undefined)).toMatchObject([
    { type: "field" },
  ]);
  expect(reader.read({ ...calls({ index: 1024, x: 1 }) }, undefined)).toMatchObject([
    { type: "call" },
  ]);
});

test("chat.read gives the place of another entry in a whole message", () => {
  const message = { tool_calls: [entry(undefined, "a", "f", "{}"), { type: "t" }] };
  expect(read({ choices: [{ message }] })).toMatchObject([
    { type: "call", index: "0" },
    { type: "field", field: "tool_calls", value: [{ type: "t", index: "1" }] },
  ]);
});

test("chat.read gives the type of a call that the server runs", () => {
  const call = {
    type: "builtin_function",
    function: { name: "$web_search", arguments: "{}" },
    x: 1,
  };
  expect(read({ ...calls(call) })).toMatchObject([{ extra: { type: "builtin_function", x: 1 } }]);
});

const response = (fields: object): object[] => [{ type: "response", fields }];

test("chat.read says of the response what is new", () => {
  const reader = chat.openReader();
  const said = (fields: object): Delta[] =>
    reader.read({ ...chunk({ content: "a" }), ...fields }, undefined).slice(1);
  expect(said({ id: "a", model: "m", created: 0, service_tier: null })).toEqual(
    response({ id: "a", model: "m", created: 0 }),
  );
  expect(said({ id: "a", model: "", created: 0, x: 1 })).toEqual([]);
  expect(said({ id: "b", system_fingerprint: "f" })).toEqual(
    response({ id: "b", system_fingerprint: "f" }),
  );
  expect(said({ service_tier: {} })).toEqual([]);
});

test("chat.read reads an error of Groq", () => {
  const [, delta] = read({
    choices: [{}],
    x_groq: { id: "r", error: { message: "m", code: 503 } },
  });
  expect(delta).toMatchObject({ type: "error", error: { message: "m", code: 503 } });
});

test("chat.read gives a reference for each id in reasoning_details", () => {
  const holder = { type: "reasoning.encrypted", id: "a" };
  const details = [holder, { ...holder, id: "rs_1" }, { ...holder, type: "t" }, { id: "" }, null];
  const payload = { ...chunk({ reasoning_details: details }) };
  expect(read(payload).map(({ type }) => type)).toEqual(["field"]);
  expect(readOnWire(payload)).toMatchObject([
    { type: "reference", choice: 0, id: "a", isAhead: true, places: [{ holder, field: "id" }] },
    { id: "rs_1", isAhead: false },
    { id: "a", isAhead: false },
  ]);
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
