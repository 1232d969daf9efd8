import { expect, test } from "vitest";
import {
  findPairingFaults,
  kimiK2ToolCallIds,
  mapToolCallIds,
  type PairingFault,
  toolResult,
} from "../../src/index.ts";
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

const user = { role: "user", content: "Hi" };
const asks = (...list: readonly (readonly [id: string, name?: string])[]) => ({
  role: "assistant",
  content: null,
  reasoning_content: "Think.",
  tool_calls: list.map(([id, name]) => ({
    id,
    type: "function",
    function: { name, arguments: "{}" },
    extra_content: { signature: id },
  })),
});
const result = (id: string) => ({ role: "tool", tool_call_id: id, name: "f", content: id });

test.each<[string, unknown[], [PairingFault["code"], string, number][]]>([
  ["nothing", [], []],
  ["text alone", [user, { role: "assistant", content: "Hi" }, null, 5], []],
  ["two turns", [user, asks(["a", "f"]), result("a"), asks(["b", "f"]), result("b")], []],
  ["results in another order", [asks(["a", "f"], ["b", "g"]), result("b"), result("a")], []],
  [
    "an id that comes again in the next turn",
    [asks(["a", "f"]), result("a"), asks(["a", "f"]), result("a")],
    [["repeated-id", "a", 2]],
  ],
  [
    "an id that repeats within a turn",
    [asks(["a", "f"], ["a", "f"]), result("a"), result("a")],
    [["repeated-id", "a", 0]],
  ],
  [
    "a call without result",
    [asks(["a", "f"], ["b", "g"]), result("b"), user],
    [["missing-result", "a", 0]],
  ],
  ["a result without call", [user, result("x")], [["orphan-result", "x", 1]]],
  ["a result too many", [asks(["a", "f"]), result("a"), result("a")], [["orphan-result", "a", 2]]],
  [
    "a result behind another message",
    [asks(["a", "f"]), user, result("a")],
    [["misplaced-result", "a", 2]],
  ],
  [
    "a result behind the next turn",
    [asks(["a", "f"]), asks(["b", "f"]), result("b"), result("a")],
    [["misplaced-result", "a", 3]],
  ],
  [
    "a result before its call",
    [result("a"), asks(["a", "f"])],
    [
      ["orphan-result", "a", 0],
      ["missing-result", "a", 1],
    ],
  ],
  ["empty ids", [asks(["", "f"], ["", "g"]), result(""), result("")], [["repeated-id", "", 0]]],
])("findPairingFaults: %s", (_name, messages, faults) => {
  expect(findPairingFaults(messages)).toEqual(
    faults.map(([code, id, position]) => ({ code, id, position })),
  );
});

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

test("ids that are missing, or no text, count as empty ones", () => {
  const idless = { type: "function", function: { name: "f", arguments: "{}" } };
  const messages = [
    { role: "assistant", tool_calls: [idless, { ...idless, id: 5 }] },
    { role: "tool", content: "" },
  ];
  expect(findPairingFaults(messages)).toEqual([
    { code: "repeated-id", id: "", position: 0 },
    { code: "missing-result", id: "", position: 0 },
  ]);
});

/** An assistant message of the messages dialect, with text before its calls. */
const uses = (...list: readonly (readonly [id: string, name: string])[]) => ({
  role: "assistant",
  content: [
    { type: "text", text: "Let me see." },
    ...list.map(([id, name]) => ({ type: "tool_use", id, name, input: {} })),
  ],
});

/** A user message of the messages dialect, with text behind its results. */
const answers = (...ids: readonly string[]) => ({
  role: "user",
  content: [
    ...ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: id })),
    { type: "text", text: "Go on." },
  ],
});

/** A turn in which the server ran a tool itself. */
const searched = {
  role: "assistant",
  content: [
    { type: "server_tool_use", id: "srvtoolu_1", name: "search", input: {} },
    { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
    { type: "text", text: "Found." },
  ],
};

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

test.each<[string, unknown[], [PairingFault["code"], string, number][]]>([
  [
    "two turns, with tools of the server",
    [
      user,
      uses(["a", "f"], ["b", "g"]),
      answers("b", "a"),
      searched,
      uses(["c", "f"]),
      answers("c"),
    ],
    [],
  ],
  [
    "results in several messages, which servers join",
    [uses(["a", "f"], ["b", "g"]), answers("a"), answers("b")],
    [],
  ],
  [
    "an id that comes again in the next turn",
    [uses(["a", "f"]), answers("a"), uses(["a", "f"]), answers("a")],
    [["repeated-id", "a", 2]],
  ],
  [
    "an id that repeats within a turn",
    [uses(["a", "f"], ["a", "f"]), answers("a", "a")],
    [["repeated-id", "a", 0]],
  ],
  [
    "a call without result",
    [uses(["a", "f"], ["b", "g"]), answers("b"), user],
    [["missing-result", "a", 0]],
  ],
  [
    "results without call, and too many",
    [answers("x"), uses(["a", "f"]), answers("a", "a")],
    [
      ["orphan-result", "x", 0],
      ["orphan-result", "a", 2],
    ],
  ],
  [
    "a result behind another message",
    [uses(["a", "f"]), user, answers("a")],
    [["misplaced-result", "a", 2]],
  ],
  [
    "a result of an earlier turn, among those of the last",
    [uses(["a", "f"]), uses(["b", "f"]), answers("b", "a")],
    [["misplaced-result", "a", 2]],
  ],
])("findPairingFaults in the messages dialect: %s", (_name, history, faults) => {
  expect(findPairingFaults(history)).toEqual(
    faults.map(([code, id, position]) => ({ code, id, position })),
  );
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

const itemCall = (id: string, name: string): object => ({
  type: "function_call",
  call_id: id,
  name,
});
const itemResult = (id: string): object => ({ type: "function_call_output", call_id: id });
const callIdsOf = (items: readonly object[]): unknown[] =>
  kimiK2ToolCallIds(items).flatMap((item) => ("call_id" in item ? [item.call_id] : []));

test.each<[string, object[], string[]]>([
  [
    "the calls of one turn have one id",
    [
      itemCall("a", "f"),
      { type: "reasoning" },
      itemCall("a", "g"),
      itemResult("a"),
      itemResult("a"),
    ],
    ["functions.f:0", "functions.g:1", "functions.f:0", "functions.g:1"],
  ],
  [
    "the id comes again behind a result",
    [itemCall("a", "f"), itemResult("a"), itemCall("a", "g"), itemResult("a")],
    ["functions.f:0", "functions.f:0", "functions.g:1", "functions.g:1"],
  ],
  [
    "the id comes again behind a message, and the first call has no result",
    [itemCall("a", "f"), { role: "user", content: "t" }, itemCall("a", "g"), itemResult("a")],
    ["functions.f:0", "functions.g:1", "functions.g:1"],
  ],
  [
    "text stands between the calls",
    [itemCall("a", "f"), { role: "assistant", content: "t" }, itemCall("a", "g"), itemResult("a")],
    ["functions.f:0", "functions.g:1", "functions.f:0"],
  ],
])("in responses, a result belongs to its call where %s", (_name, items, ids) => {
  expect(callIdsOf(items)).toEqual(ids);
});
