import { expect, test } from "vitest";
import { kimiK2ToolCallIds } from "../../src/index.ts";
import { HeldIds } from "../../src/fetch/held-ids.ts";
import { readRequest } from "../../src/fetch/request-ids.ts";

const held = new HeldIds();
held.add({ id: "new-1", providerId: "old" });
held.add({ id: "new-2", providerId: "old" });
held.add({ id: "new-3", providerId: undefined });

const rewrite = (text: string, isKimiK2 = false): string => readRequest(text, held, isKimiK2).text;

const chatHistory = [
  { role: "user", content: "new-1" },
  {
    role: "assistant",
    tool_calls: [{ id: "new-1", type: "function", function: { name: "f", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: "new-1", content: "new-1" },
];
const messagesHistory = [
  { role: "assistant", content: [{ type: "tool_use", id: "new-1", name: "f", input: {} }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "new-1", content: "c" }] },
];
const result = { type: "function_call_output", call_id: "new-1", output: "new-1" };
const responsesHistory = [
  { type: "function_call", id: "i", call_id: "new-1", name: "f", arguments: "{}" },
  result,
];

test.each<[string, object, string[]]>([
  ["chat", { messages: chatHistory }, ['"id":"new-1"', '"tool_call_id":"new-1"']],
  ["messages", { messages: messagesHistory }, ['"id":"new-1"', '"tool_use_id":"new-1"']],
  ["responses", { input: responsesHistory }, ['"call_id":"new-1"']],
])(
  "a history of Kimi K2 in %s has numbered ids, and nothing else has changed",
  (_dialect, request, fields) => {
    const text = JSON.stringify({ ...request, n: 12 }, null, 2).replace(
      "12",
      "12345678901234567890.0",
    );
    let expected = text;
    for (const field of fields) {
      const spaced = field.replace(":", ": ");
      expected = expected.replaceAll(spaced, spaced.replace("new-1", "functions.f:0"));
    }
    expect(rewrite(text, true)).toBe(expected);
    expect(rewrite(text)).toBe(text);
  },
);

const reference = { type: "item_reference", id: "fc_1" };

test.each<[string, object]>([
  ["a result behind a response", { previous_response_id: "r", input: [result] }],
  ["a result in a conversation", { conversation: "c", input: [result] }],
  ["a result in a conversation that is an object", { conversation: { id: "c" }, input: [result] }],
  ["a result behind a reference to its call", { input: [reference, result] }],
  ["a result that is added to a conversation", { items: [result] }],
  [
    "the output of a computer",
    { previous_response_id: "r", input: [{ ...result, type: "computer_call_output" }] },
  ],
  [
    "a result whose call is not in the request, behind one whose call is",
    { input: [{ ...responsesHistory[0], call_id: "x" }, { ...result, call_id: "x" }, result] },
  ],
  ["a result in a thread", { thread: { type: "continue" }, messages: messagesHistory.slice(1) }],
])("%s has the id back that the server has", (_name, request) => {
  const text = JSON.stringify(request);
  const expected = text.replace(/("(?:call_id|tool_use_id)":)"new-1"/, '$1"old"');
  expect(expected).not.toBe(text);
  expect(rewrite(text)).toBe(expected);
});

test.each<[string, object]>([
  ["behind a response", { previous_response_id: "r", input: [result] }],
  ["in a thread", { thread: { type: "continue" }, messages: messagesHistory.slice(1) }],
])("with Kimi K2, the rest of a history %s is not numbered", (_name, request) => {
  const text = JSON.stringify({ ...request, model: "kimi" });
  expect(rewrite(text, true)).toBe(text.replace('id":"new-1"', 'id":"old"'));
});

/** What a request says, its text aside. */
function factsOf(request: unknown): object {
  const { text: _text, usedIds, ...facts } = readRequest(JSON.stringify(request), held, false);
  return { ...facts, usedIds: [...usedIds] };
}

const asked = { asksModel: true, isStreamed: false, holdsAnswer: false, usedIds: ["new-1"] };
const held1 = { ...asked, holdsAnswer: true };
const nothing = { asksModel: false, isStreamed: false, holdsAnswer: false, usedIds: [] };
const tools = [{ type: "function", name: "f" }];

test.each<[string, unknown, object]>([
  ["chat", { messages: chatHistory }, asked],
  ["chat that is stored", { messages: chatHistory, store: true }, asked],
  ["messages", { messages: messagesHistory, stream: true }, { ...asked, isStreamed: true }],
  ["a thread", { messages: messagesHistory, thread: { type: "create" } }, held1],
  ["responses", { input: responsesHistory }, held1],
  ["responses that are not stored", { input: responsesHistory, store: false }, asked],
  ["text and tools", { input: "new-1", tools }, { ...held1, usedIds: [] }],
  ["text in a conversation", { input: "?", conversation: "c" }, { ...held1, usedIds: [] }],
  ["a prompt that the server holds", { prompt: { id: "p" } }, { ...held1, usedIds: [] }],
  ["an empty list", { input: [] }, { ...held1, usedIds: [] }],
  ["embeddings of a text", { input: "new-1" }, nothing],
  ["embeddings of texts", { input: ["new-1", "a"] }, nothing],
  ["embeddings of tokens", { input: [[1, 2], [3]] }, nothing],
  ["embeddings of things", { input: [{ text: "a" }, { image: "b" }] }, nothing],
  ["items of a conversation", { items: [result] }, { ...nothing, usedIds: ["new-1"] }],
  ["a completion of old", { prompt: "a", suffix: "b" }, nothing],
  ["a request without history", { model: "m" }, nothing],
  ["a list", [], nothing],
])("what a request says: %s", (_name, request, facts) => {
  expect(factsOf(request)).toEqual(facts);
});

test.each<[string, unknown]>([
  ["a history that the client holds", { input: responsesHistory }],
  ["the first request of a thread", { thread: { type: "create" }, messages: messagesHistory }],
  [
    "a result of a call that had no id",
    { previous_response_id: "r", input: [{ ...result, call_id: "new-3" }] },
  ],
  [
    "a result that nobody knows",
    { previous_response_id: "r", input: [{ ...result, call_id: "x" }, "text", {}] },
  ],
  ["input that is text", { input: "new-1", previous_response_id: "r" }],
  ["a request without history", { model: "m" }],
  ["a list", []],
])("%s passes as it is", (_name, request) => {
  const text = JSON.stringify(request);
  expect(rewrite(text)).toBe(text);
});

const idless = (id: object): object => ({ ...id, function: { name: "f", arguments: "{}" } });

test("in a history of Kimi K2, calls without an id get one, and so do their results", () => {
  const messages = [
    { role: "assistant", tool_calls: [idless({ id: "" })] },
    { role: "tool", tool_call_id: "", content: "c" },
    { role: "assistant", tool_calls: [idless({ id: null })] },
    { role: "assistant", tool_calls: [idless({})] },
    { role: "tool", content: "c" },
  ];
  const rewritten: unknown = JSON.parse(rewrite(JSON.stringify({ messages }), true));
  expect(rewritten).toEqual({ messages: kimiK2ToolCallIds(messages) });
});

test("in a history of Kimi K2, a result without any id keeps none", () => {
  const text = '{"messages":[{"role":"tool","content":"c"}]}';
  expect(rewrite(text, true)).toBe(text);
});

test("in a history of Kimi K2, a result without a call keeps its id", () => {
  const text = '{"messages":[{"role":"tool","tool_call_id":"\\u0078","content":"c"}]}';
  expect(rewrite(text, true)).toBe(text);
});

test("what is no JSON passes as it is", () => {
  expect(rewrite("{", true)).toBe("{");
});

test("HeldIds keeps ids of any length, and forgets the oldest where they are too much together", () => {
  const ids = new HeldIds();
  const long = "x".repeat(1024 * 1024);
  for (const id of ["a", "b", "c"]) ids.add({ id, providerId: long });
  expect(ids.get("a")).toBe(long);
  ids.add({ id: "d", providerId: long });
  expect(["a", "b", "c", "d"].filter((id) => ids.get(id) === long)).toEqual(["b", "c", "d"]);
});

test("HeldIds has room for the ids of a long night", () => {
  const ids = new HeldIds();
  for (let number = 0; number < 40_000; number += 1) {
    ids.add({ id: `call_${number}`.padEnd(33, "x"), providerId: `get_weather:${number}` });
  }
  expect(ids.get("call_0".padEnd(33, "x"))).toBe("get_weather:0");
});

test("HeldIds counts an id that comes again once, and knows its latest", () => {
  const ids = new HeldIds();
  ids.add({ id: "first", providerId: "f" });
  const long = "x".repeat(1024 * 1024);
  for (let time = 0; time < 10; time += 1) ids.add({ id: "a", providerId: long });
  ids.add({ id: "a", providerId: "b" });
  expect([ids.get("first"), ids.get("a")]).toEqual(["f", "b"]);
  ids.add({ id: "a", providerId: undefined });
  expect(ids.get("a")).toBeUndefined();
});
