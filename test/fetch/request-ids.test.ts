import { expect, test } from "vitest";
import { kimiK2ToolCallIds } from "../../src/index.ts";
import { HeldIds } from "../../src/fetch/held-ids.ts";
import { rewriteRequest } from "../../src/fetch/request-ids.ts";

const held = new HeldIds();
held.add({ id: "new-1", providerId: "old" });
held.add({ id: "new-2", providerId: "old" });
held.add({ id: "new-3", providerId: undefined });

const rewrite = (text: string, isKimiK2 = false): string =>
  rewriteRequest(text, held, isKimiK2).text;

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

test.each<[string, object]>([
  ["a result behind a response", { previous_response_id: "r", input: [result] }],
  ["a result in a conversation", { conversation: "c", input: [result] }],
  ["a result in a conversation that is an object", { conversation: { id: "c" }, input: [result] }],
  [
    "the output of a computer",
    { previous_response_id: "r", input: [{ ...result, type: "computer_call_output" }] },
  ],
  ["a result in a thread", { thread: { type: "continue" }, messages: messagesHistory.slice(1) }],
])("%s has the id back that the server has", (_name, request) => {
  const text = JSON.stringify(request);
  const expected = text.replace(/("(?:call_id|tool_use_id)":)"new-1"/, '$1"old"');
  expect(expected).not.toBe(text);
  expect(rewrite(text)).toBe(expected);
  expect(rewrite(text, true)).toBe(expected);
});

test.each<[string, unknown, boolean]>([
  ["a history that the client holds", { input: responsesHistory }, true],
  [
    "the first request of a thread",
    { thread: { type: "create" }, messages: messagesHistory },
    true,
  ],
  [
    "a result of a call that had no id",
    { previous_response_id: "r", input: [{ ...result, call_id: "new-3" }] },
    true,
  ],
  [
    "a result that nobody knows",
    { previous_response_id: "r", input: [{ ...result, call_id: "x" }, "text", {}] },
    true,
  ],
  ["input that is text", { input: "new-1", previous_response_id: "r" }, true],
  ["a request without history", { model: "m" }, false],
  ["a list", [], false],
])("%s passes as it is", (_name, request, hasHistory) => {
  const text = JSON.stringify(request);
  expect(rewriteRequest(text, held, false)).toEqual({ text, hasHistory });
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
  expect(rewriteRequest("{", held, true)).toEqual({ text: "{", hasHistory: false });
});

test("HeldIds keeps no id that is longer than any", () => {
  const ids = new HeldIds();
  ids.add({ id: "a", providerId: "x".repeat(1024) });
  ids.add({ id: "b", providerId: "x".repeat(1025) });
  expect([ids.get("a")?.length, ids.get("b")]).toEqual([1024, undefined]);
});

test("HeldIds forgets the oldest ids", () => {
  const ids = new HeldIds();
  for (let number = 0; number <= 16_384; number += 1) ids.add({ id: `${number}`, providerId: "a" });
  expect(ids.get("0")).toBeUndefined();
  expect(ids.get("1")).toBe("a");
  expect(ids.get("16384")).toBe("a");
});
