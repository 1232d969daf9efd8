import { expect, test } from "vitest";
import { findPairingFaults, kimiK2ToolCallIds, mapToolCallIds } from "../../src/index.ts";
import { answers, asks, result, searched, user, uses } from "./messages.ts";

test("kimiK2ToolCallIds numbers the calls of the conversation, and their results alike", () => {
  const messages = [
    user,
    asks(["get:0", "get"], ["set:1", "set"]),
    result("set:1"),
    result("get:0"),
    asks(["get:0", "get"]),
    result("get:0"),
  ];
  const before = structuredClone(messages);
  const renumbered = kimiK2ToolCallIds<object>(messages);
  expect(messages).toEqual(before);
  expect(renumbered).toEqual([
    user,
    {
      ...asks(["get:0", "get"], ["set:1", "set"]),
      tool_calls: [
        { ...asks(["get:0", "get"]).tool_calls[0], id: "functions.get:0" },
        { ...asks(["set:1", "set"]).tool_calls[0], id: "functions.set:1" },
      ],
    },
    { ...result("set:1"), tool_call_id: "functions.set:1" },
    { ...result("get:0"), tool_call_id: "functions.get:0" },
    {
      ...asks(["get:0", "get"]),
      tool_calls: [{ ...asks(["get:0", "get"]).tool_calls[0], id: "functions.get:2" }],
    },
    { ...result("get:0"), tool_call_id: "functions.get:2" },
  ]);
  expect(kimiK2ToolCallIds(renumbered)).toEqual(renumbered);
});

const idsOf = (messages: readonly unknown[]): string =>
  [...JSON.stringify(messages).matchAll(/"(?:tool_call_)?id":"([^"]*)"/g)]
    .map(([, id]) => id)
    .join(" ");

test.each<[string, unknown[], string]>([
  [
    "an id that repeats within a turn goes by position",
    [asks(["a", "f"], ["a", "g"]), result("a"), result("a")],
    "functions.f:0 functions.g:1 functions.f:0 functions.g:1",
  ],
  [
    "orphans and nameless calls keep their ids",
    [result("x"), asks(["a"], ["b", "g"]), result("b"), result("a"), result("b")],
    "x a functions.g:1 functions.g:1 a b",
  ],
  [
    "custom tools have names as well",
    [
      {
        role: "assistant",
        tool_calls: [{ id: "a", type: "custom", custom: { name: "sql", input: "" } }],
      },
      result("a"),
    ],
    "functions.sql:0 functions.sql:0",
  ],
])("kimiK2ToolCallIds: %s", (_name, messages, ids) => {
  expect(idsOf(kimiK2ToolCallIds(messages))).toBe(ids);
});

test("kimiK2ToolCallIds leaves entries of tool_calls alone that are no calls", () => {
  const search = { id: "s", type: "web_search", query: "q" };
  const builtin = { id: "b", type: "builtin_function", function: { name: "$search" } };
  const free = { id: "c", type: "grammar", custom: { name: "sql", input: "" } };
  const messages = [{ role: "assistant", tool_calls: [search, builtin, free] }, result("b")];
  expect(kimiK2ToolCallIds<unknown>(messages)).toEqual([
    {
      role: "assistant",
      tool_calls: [
        search,
        { ...builtin, id: "functions.$search:0" },
        { ...free, id: "functions.sql:1" },
      ],
    },
    { ...result("b"), tool_call_id: "functions.$search:0" },
  ]);
  expect(findPairingFaults([messages[0]])).toHaveLength(2);
});

test("mapToolCallIds gives Mistral nine characters, and OpenAI at most forty", () => {
  const long = `chatcmpl-tool-${"0".repeat(32)}`;
  const messages = [asks([long, "f"], ["b", "g"]), result("b"), result(long)];
  const mistral = mapToolCallIds<unknown>(messages, ({ number }) => `${number}`.padStart(9, "0"));
  expect(idsOf(mistral)).toBe("000000000 000000001 000000001 000000000");
  const openAI = mapToolCallIds<unknown>(messages, ({ id, number }) =>
    id.length > 40 ? `call_${number}` : id,
  );
  expect(idsOf(openAI)).toBe("call_0 b b call_0");
});

test("ids of the messages dialect are mapped where they stand, and nothing else is", () => {
  const history = [
    user,
    uses(["get:0", "get"], ["set:1", "set"]),
    answers("set:1", "get:0", "x"),
    searched,
    uses(["get:0", "get"]),
    answers("get:0"),
  ];
  const before = structuredClone(history);
  const renumbered = kimiK2ToolCallIds<object>(history);
  expect(history).toEqual(before);
  expect(renumbered).toEqual([
    user,
    uses(["functions.get:0", "get"], ["functions.set:1", "set"]),
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "functions.set:1", content: "set:1" },
        { type: "tool_result", tool_use_id: "functions.get:0", content: "get:0" },
        { type: "tool_result", tool_use_id: "x", content: "x" },
        { type: "text", text: "Go on." },
      ],
    },
    searched,
    uses(["functions.get:2", "get"]),
    {
      role: "user",
      content: [
        { type: "tool_result", tool_use_id: "functions.get:2", content: "get:0" },
        { type: "text", text: "Go on." },
      ],
    },
  ]);
  expect(renumbered[3]).toBe(searched);
});
