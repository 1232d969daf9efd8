import { expect, test } from "vitest";
import type { ToolCallRename, ToolCallStreamOptions } from "../../src/index.ts";
import { sse } from "../bodies.ts";
import { calls, chunk, entry, finish } from "../chat-chunks.ts";
import { blockStart, ending, input, messageStart, toolStart } from "../messages-events.ts";
import { bytesAsText, rewrite, rewriteText } from "./rewriting.ts";

/** The ids of calls in a body, in order. */
function idsIn(body: string): (string | null)[] {
  return [...body.matchAll(/"(?:call_)?id":("[^"]*"|null)/g)].map(([, id = ""]) => JSON.parse(id));
}

const chatCall = (id: unknown, rest: object = {}): object =>
  calls(entry(0, id, "f", '{"x":', rest));
const rest = (id?: unknown): object => calls(entry(0, id, undefined, "1}"));

const details = (...ids: string[]): object =>
  chunk({ reasoning_details: ids.map((id) => ({ type: "reasoning.encrypted", id })) });

test.each<[string, object[], (string | null)[]]>([
  ["one id on the first delta", [chatCall("a"), rest()], ["fresh-1"]],
  ["an id on every delta", [chatCall("a"), rest("a")], ["fresh-1", "fresh-1"]],
  ["another id on every delta", [chatCall("a"), rest("b")], ["fresh-1", "fresh-1"]],
  ["an id that is emptied later", [chatCall("a"), rest(""), rest(null)], ["fresh-1", "", null]],
  ["an empty id on the first delta", [chatCall(""), rest("")], ["fresh-1", ""]],
  ["null on the first delta", [chatCall(null), rest(null)], ["fresh-1", null]],
  ["no id at all", [chatCall(undefined), rest()], ["fresh-1"]],
  ["an id that comes late", [chatCall(undefined), rest("a")], ["fresh-1", "fresh-1"]],
  [
    "equal ids at two indices",
    [calls(entry(0, "a", "f", "{}"), entry(1, "a", "f", "{}"))],
    ["fresh-1", "fresh-2"],
  ],
  [
    "one entry that is not in a list",
    [chunk({ tool_calls: entry(0, "a", "f", "{}") })],
    ["fresh-1"],
  ],
  [
    "a custom call",
    [calls({ index: 0, id: "a", type: "custom", custom: { name: "f", input: "x" } })],
    ["fresh-1"],
  ],
  [
    "a detail of reasoning that signs a call to come",
    [details("a", "rs_1"), details("a"), chatCall("a"), details("a")],
    ["fresh-1", "rs_1", "fresh-1", "fresh-1", "fresh-1"],
  ],
  [
    "two calls to come",
    [details("a", "b"), calls(entry(0, "b", "f", "{}"), entry(1, "a", "f", "{}"))],
    ["fresh-1", "fresh-2", "fresh-2", "fresh-1"],
  ],
  [
    "a detail that signs the first of two calls with one id",
    [details("a"), calls(entry(0, "a", "f", "{}"), entry(1, "a", "g", "{}"))],
    ["fresh-1", "fresh-1", "fresh-2"],
  ],
  [
    "a detail with an id that the call has later",
    [details("b"), chatCall("a"), rest("b")],
    ["fresh-1", "fresh-2", "fresh-2"],
  ],
  [
    "a detail of another choice",
    [
      chatCall("a"),
      { choices: [{ index: 1, delta: { reasoning_details: [{ type: "t", id: "a" }] } }] },
    ],
    ["fresh-1", "a"],
  ],
  [
    "a further choice",
    [chatCall("a"), { choices: [{ index: 1, delta: { tool_calls: [entry(0, "a", "f", "{}")] } }] }],
    ["fresh-1", "fresh-2"],
  ],
  [
    "a message",
    [{ choices: [{ message: { tool_calls: [entry(undefined, "a", "f", "{}")] } }] }],
    ["fresh-1"],
  ],
  [
    "a message behind its deltas",
    [
      chatCall("a"),
      rest(),
      { choices: [{ message: { tool_calls: [entry(undefined, "a", "f", '{ "x": 1 }')] } }] },
    ],
    ["fresh-1", "fresh-1"],
  ],
  [
    "a message whose calls stand elsewhere than in the deltas",
    [
      calls(entry(1, "a", "f", '{"x":1}')),
      { choices: [{ message: { tool_calls: [entry(undefined, "b", "f", '{ "x": 1 }')] } }] },
    ],
    ["fresh-1", "fresh-1"],
  ],
  ["a list of chunks", [[chatCall("a"), rest("a")]], ["fresh-1", "fresh-1"]],
  ["what is not where ids stand", [chunk({ content: "", x: { id: "a" } })], ["a"]],
])("chat: %s", (_name, chunks, ids) => {
  expect(idsIn(rewriteText(sse(...chunks, finish("tool_calls"), "[DONE]")))).toEqual(ids);
});

test("a function_call has no place for an id, and gets none", () => {
  const body = sse(chunk({ function_call: { name: "f", arguments: "{}" } }), finish("stop"));
  expect(rewriteText(body)).toBe(body);
});

test.each<[string, object[], (string | null)[]]>([
  ["a tool", [messageStart(), toolStart(0, "f"), input(0, "{}"), ...ending], ["msg_1", "fresh-1"]],
  [
    "equal ids",
    [messageStart(), toolStart(0, "f"), toolStart(1, "f")],
    ["msg_1", "fresh-1", "fresh-2"],
  ],
  [
    "a tool of the server",
    [messageStart(), blockStart(0, { type: "server_tool_use", id: "s", name: "f" })],
    ["msg_1", "s"],
  ],
  [
    "calls in the start",
    [messageStart({ content: [{ type: "tool_use", id: "a", name: "f", input: {} }] })],
    ["msg_1", "fresh-1"],
  ],
  ["an empty id", [messageStart(), toolStart(0, "f", { id: "" })], ["msg_1", "fresh-1"]],
  [
    "calls that come again in a start, or as a whole",
    [
      messageStart(),
      toolStart(0, "f"),
      messageStart({ content: [{ type: "text" }, { type: "tool_use", id: "a", name: "f" }] }),
      {
        type: "message",
        content: [
          { type: "tool_use", id: "b" },
          { type: "tool_use", id: "c" },
        ],
      },
    ],
    ["msg_1", "fresh-1", "msg_1", "fresh-1", "fresh-1", "c"],
  ],
  [
    "what comes behind the end, for clients that read on",
    [
      messageStart(),
      ...ending,
      toolStart(0, "f"),
      messageStart({ id: "msg_2" }),
      toolStart(0, "f"),
    ],
    ["msg_1", "fresh-1", "msg_2", "fresh-2"],
  ],
  [
    "its caller",
    [messageStart(), toolStart(0, "f", { caller: { id: "s", tool_id: "s" } })],
    ["msg_1", "fresh-1", "s"],
  ],
])("messages: %s", (_name, events, ids) => {
  expect(idsIn(rewriteText(sse(...events)))).toEqual(ids);
});

const item = (id: unknown, callId: unknown, facts: object = {}): object => ({
  type: "function_call",
  id,
  call_id: callId,
  name: "f",
  arguments: "",
  ...facts,
});
const added = (content: object, index = 0): object => ({
  type: "response.output_item.added",
  output_index: index,
  item: content,
});
const done = (content: object, index = 0): object => ({
  type: "response.output_item.done",
  output_index: index,
  item: content,
});
const completed = (...output: object[]): object => ({
  type: "response.completed",
  response: { output, status: "completed" },
});
const fragment = (fields: object): object => ({
  type: "response.function_call_arguments.delta",
  output_index: 0,
  delta: "{}",
  ...fields,
});

test.each<[string, object[], (string | null)[]]>([
  [
    "a call in all of its events",
    [added(item("i", "a")), done(item("i", "a")), completed(item("i", "a"))],
    ["i", "fresh-1", "i", "fresh-1", "i", "fresh-1"],
  ],
  [
    "calls whose ids differ in the end",
    [added(item("i", "a")), added(item("j", "b"), 1), completed(item("x", "c"), item("y", "d"))],
    ["i", "fresh-1", "j", "fresh-2", "i", "fresh-1", "j", "fresh-2"],
  ],
  [
    "an id that comes late",
    [added(item("i", "")), done(item("i", "a"))],
    ["i", "fresh-1", "i", "fresh-1"],
  ],
  [
    "no id, in each whole item",
    [added(item("i", null)), done(item("i", "")), completed(item("i", undefined))],
    ["i", "fresh-1", "i", "fresh-1", "fresh-1", "i"],
  ],
  [
    "a call whose arguments begin with a placeholder",
    [added(item("i", "a", { arguments: "{}" })), done(item("i", "a"))],
    ["i", "fresh-1", "i", "fresh-1"],
  ],
  [
    "an end that comes twice",
    [added(item("i", "a")), completed(item("i", "a")), completed(item("i", "a"))],
    ["i", "fresh-1", "i", "fresh-1", "i", "fresh-1"],
  ],
  [
    "a program of the server",
    [
      added({ type: "program", id: "p", call_id: "p1" }),
      added(item("i", "a", { caller: { type: "program", caller_id: "p1" } })),
      done({ type: "program_output", id: "o", call_id: "p1" }),
    ],
    ["p", "p1", "i", "fresh-1", "o", "p1"],
  ],
  [
    "calls that have one id and no index, and their outputs",
    [
      { type: "response.output_item.added", item: item("i", "a") },
      {
        type: "response.output_item.done",
        item: { type: "function_call_output", id: "o", call_id: "a" },
      },
      { type: "response.output_item.added", item: item("j", "a") },
      {
        type: "response.output_item.done",
        item: { type: "function_call_output", id: "q", call_id: "a" },
      },
      completed(
        item("i", "a"),
        { type: "function_call_output", id: "o", call_id: "a" },
        item("j", "a"),
        { type: "function_call_output", id: "q", call_id: "a" },
      ),
    ],
    [
      "i",
      "fresh-1",
      "o",
      "fresh-1",
      "j",
      "fresh-2",
      "q",
      "fresh-2",
      "i",
      "fresh-1",
      "o",
      "fresh-1",
      "j",
      "fresh-2",
      "q",
      "fresh-2",
    ],
  ],
  [
    "a call that got an id, and an end that names none",
    [
      { type: "response.function_call_arguments.delta", delta: "{}" },
      {
        type: "response.output_item.done",
        item: { type: "function_call", name: "f", call_id: "a" },
      },
    ],
    ["fresh-1"],
  ],
  [
    "a call that has no place before the end, and no id there",
    [fragment({ item_id: "j" }), completed(item("k", undefined))],
    ["fresh-1", "j"],
  ],
  ["a call that only the end has", [completed(item("i", "a"))], ["i", "fresh-1"]],
  ["a custom call", [added(item("i", "a", { type: "custom_tool_call" }))], ["i", "fresh-1"]],
  [
    "other calls that the client runs",
    [
      added({ type: "computer_call", id: "i", call_id: "a" }),
      completed({ type: "computer_call", id: "x", call_id: "b" }),
    ],
    ["i", "fresh-1", "i", "fresh-1"],
  ],
  [
    "two calls of a hosted shell, and their outputs",
    [
      added({ type: "shell_call", id: "i", call_id: "a" }),
      added({ type: "shell_call_output", id: "j", call_id: "a" }),
      added({ type: "shell_call", id: "k", call_id: "a" }),
      added({ type: "shell_call_output", id: "l", call_id: "a" }),
    ],
    ["i", "fresh-1", "j", "fresh-1", "k", "fresh-2", "l", "fresh-2"],
  ],
  [
    "the output of a call",
    [done(item("i", "a")), done({ type: "function_call_output", id: "j", call_id: "a" }, 1)],
    ["i", "fresh-1", "j", "fresh-1"],
  ],
  [
    "the output of a call that is not there",
    [done({ type: "x_output", id: "j", call_id: "a" }, 1)],
    ["j", "fresh-1"],
  ],
  [
    "other items",
    [added({ type: "message", id: "m" }), added({ type: "reasoning", id: "r", call_id: null })],
    ["m", "r", null],
  ],
])("responses: %s", (_name, events, ids) => {
  expect(idsIn(rewriteText(sse(...events)))).toEqual(ids);
});

test("fragments that name their call by its own id go with it; ids of items stay", () => {
  const events = [
    added({ type: "function_call", call_id: "a", name: "f" }),
    fragment({ item_id: "a" }),
    added(item("i", "i"), 1),
    fragment({ item_id: "i", call_id: "i" }),
    { type: "response.function_call_arguments.done", item_id: "a", arguments: "{}" },
  ];
  const output = rewriteText(sse(...events));
  expect([...output.matchAll(/"(?:item|call)_id":"([^"]*)"/g)].map(([, id]) => id)).toEqual([
    "fresh-1",
    "fresh-1",
    "fresh-2",
    "i",
    "fresh-2",
    "fresh-1",
  ]);
});

test.each([
  ["chat", { choices: [{ message: { tool_calls: [entry(0, "a", "f", "{}")] } }] }],
  ["messages", { type: "message", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] }],
  ["responses", { object: "response", output: [item("i", "a")], status: "completed" }],
])("a body of JSON in %s", (_dialect, body) => {
  const text = JSON.stringify(body, null, 2);
  expect(rewriteText(text)).toBe(text.replace('"a"', '"fresh-1"'));
});

const event = JSON.stringify(calls(entry(0, "é", "f", "{}")));

test.each([
  ["over several lines", `data: {"choices":[{"delta":{"tool_calls":[{"id":\ndata:"é"}]}}]}\n\n`],
  ["behind another one in its event", `data: {"x":"é"}${event}\n\n`],
  ["with a second prefix", `data: data: ${event}\n\n`],
  ["behind white space", `data:\u3000 ${event}\n\n`],
  ["behind what is lost", `data: {"é\ndata: data: ${event}\n\n`],
  ["without its blank line", `data: ${event}`],
])("an id in a payload %s", (_name, body) => {
  const place = body.lastIndexOf('"é"');
  const expected = `${body.slice(0, place)}"fresh-1"${body.slice(place + 3)}`;
  expect(rewriteText(body)).toBe(place === -1 ? body : expected);
});

test.each([
  ["that end a character", [0xe2, 0x82, 0x22]],
  ["that begin none", [0xff, 0x80, 0xc0, 0xaf, 0x22]],
  ["of half a surrogate pair", [0xed, 0xa0, 0x80, 0x22]],
  ["behind whole characters", [0xf0, 0x9f, 0x98, 0x80, 0xf0, 0x9f, 0x22]],
])("an id behind bytes that are not UTF-8, %s", (_name, odd) => {
  const start = new TextEncoder().encode('data: {"x":"');
  const end = new TextEncoder().encode(`}${event}\n\n`);
  const bytes = Uint8Array.from([...start, ...odd, ...end]);
  const expected = bytesAsText(bytes).replace('"id":"Ã©"', '"id":"fresh-1"');
  expect(expected).toContain("fresh-1");
  expect(bytesAsText(rewrite([bytes]))).toBe(expected);
});

test("a missing id in frames that are glued together", () => {
  const first = JSON.stringify(calls(entry(0, undefined, "f", "{}")));
  const second = JSON.stringify(calls(entry(1, undefined, "f", "{}")));
  const body = `data: ${first}data: ${second}\n\n`;
  expect(idsIn(rewriteText(body))).toEqual(["fresh-1", "fresh-2"]);
});

test("a payload with more ids than a function takes arguments", () => {
  const count = 200_000;
  const piece = '{"index":0,"id":"a","function":{"name":"f"}}';
  const list = Array.from({ length: count }, () => piece).join();
  const body = `data: {"choices":[{"delta":{"tool_calls":[${list}]}}]}\n\n`;
  expect(rewriteText(body, { maxEventLength: Infinity })).toBe(body.replaceAll('"a"', '"fresh-1"'));
}, 60_000);

test("what is behind the end of the response passes as it is", () => {
  const body = sse(chatCall("a"), "[DONE]", chatCall("a"));
  expect(idsIn(rewriteText(body))).toEqual(["fresh-1", "a"]);
});

test("what is over a limit passes as it is", () => {
  const long = calls(entry(0, "a", "f", `{"x":"${"y".repeat(200)}`));
  const body = sse(long, calls(entry(1, "a", "f", "{}")));
  expect(idsIn(rewriteText(body, { maxEventLength: 200 }))).toEqual(["a", "fresh-1"]);
  expect(idsIn(rewriteText(body, { maxToolCalls: 1 }))).toEqual(["fresh-1", "a"]);
  const list = sse([long, calls(entry(1, "a", "f", "{}")), calls(entry(2, "a", "f", "{}"))]);
  expect(idsIn(rewriteText(list, { maxToolCalls: 1 }))).toEqual(["fresh-1", "a", "a"]);
  const hosted = { type: "response.output_item.done", item: { type: "shell_call", call_id: "a" } };
  const items = Array.from({ length: 4097 }, () => hosted);
  expect(idsIn(rewriteText(sse(...items))).slice(-2)).toEqual(["fresh-4096", "a"]);
});

test("an event that was lost may have begun another call", () => {
  const opener = calls(entry(0, "a", "f", '{"x"'));
  const ids = (between: string): unknown[] =>
    idsIn(rewriteText(sse(opener, between, calls(entry(0, "b", "f", ":1}")))));
  expect(ids("{}")).toEqual(["fresh-1", "fresh-1"]);
  expect(ids('{"choices":')).toEqual(["fresh-1", "fresh-2"]);
});

test("so may one that was too long to be read", () => {
  const opener = calls(entry(0, "a", "f", '{"x"'));
  const long = chunk({ content: "t".repeat(300) });
  const body = sse(opener, long, calls(entry(0, "b", "f", ":1}")));
  expect(idsIn(rewriteText(body))).toEqual(["fresh-1", "fresh-1"]);
  expect(idsIn(rewriteText(body, { maxEventLength: 200 }))).toEqual(["fresh-1", "fresh-2"]);
});

test("a fragment that is lost", () => {
  const events = [messageStart(), toolStart(0, "f"), toolStart(0, "g"), input(0, "{}")];
  expect(idsIn(rewriteText(sse(...events)))).toEqual(["msg_1", "fresh-1", "fresh-2"]);
});

test("generateId has to give a new id", () => {
  const body = sse(calls(entry(0, "a", "f", "{}"), entry(1, "a", "f", "{}")));
  expect(() => rewriteText(body, { generateId: () => "same" })).toThrow(TypeError);
  const computer = sse(added({ type: "computer_call", id: "i", call_id: "a" }));
  expect(() => rewriteText(computer, { generateId: () => "" })).toThrow(TypeError);
});

test("onRename sees each call once, and again with an id of the server's that comes late", () => {
  const renames: ToolCallRename[] = [];
  const onRename = (rename: ToolCallRename): void => {
    renames.push(rename);
    throw new Error("It only observes");
  };
  rewriteText(sse(chatCall("a"), rest("a"), calls(entry(1, "", "g", "{}"))), { onRename });
  rewriteText(sse(added(item("i", "")), done(item("i", "b")), completed(item("j", "c"))), {
    onRename,
  });
  expect(renames).toEqual([
    { id: "fresh-1", providerId: "a" },
    { id: "fresh-2", providerId: undefined },
    { id: "fresh-1", providerId: undefined },
    { id: "fresh-1", providerId: "b" },
    { id: "fresh-1", providerId: "c" },
  ]);
});

test.each(["", null])("onRename sees nothing of an id that is %j later", (id) => {
  const renames: ToolCallRename[] = [];
  rewriteText(sse(chatCall("a"), rest(id)), { onRename: (rename) => renames.push(rename) });
  expect(renames).toEqual([{ id: "fresh-1", providerId: "a" }]);
});

test("what is odd in a response is for the reading streams to report", () => {
  const found: unknown[] = [];
  const onDiagnostic = (diagnostic: unknown): void => {
    found.push(diagnostic);
  };
  const body = sse(calls(entry(0, "a", "f", '{"x":1}{"x":1}')), finish("stop"), "[DONE]");
  // One object of options for both kinds of streams has what only the other kind knows.
  const options: ToolCallStreamOptions = { onDiagnostic };
  rewriteText(body, { ...options });
  expect(found).toEqual([]);
});

test("a chunk has to be bytes", () => {
  // @ts-expect-error -- that is the point
  expect(() => rewrite(["text"])).toThrow(TypeError);
});

test("only as many calls to come as there may be get an id, and none if there is no id", () => {
  const body = sse(details("a", "b"), chatCall("b"));
  expect(idsIn(rewriteText(body, { maxToolCalls: 1 }))).toEqual(["fresh-1", "b", "fresh-2"]);
  expect(() => rewriteText(body, { generateId: () => "" })).toThrow(TypeError);
});
