import { describe, expect, test } from "vitest";
import { responses } from "../../src/dialects/responses.ts";
import {
  findPairingFaults,
  kimiK2ToolCallIds,
  mapToolCallIds,
  type ToolCall,
  toolResult,
} from "../../src/index.ts";
import { readEvents, sse } from "../bodies.ts";
import { brief } from "../chat-chunks.ts";
import { CUTS } from "../cuts.ts";
import { fixtureBytes } from "../fixtures.ts";

type Fields = Readonly<Record<string, unknown>>;

const event = (type: string, fields: Fields = {}): Fields => ({
  type: `response.${type}`,
  ...fields,
});
const called = (id: string, name: string | null, text: string, fields: Fields = {}): Fields => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: `call_${id}`,
  name,
  arguments: text,
  ...fields,
});
const added = (item: Fields, index?: number): Fields =>
  event("output_item.added", { output_index: index, item });
const done = (item: Fields, index?: number): Fields =>
  event("output_item.done", { output_index: index, item });
const fragment = (delta: unknown, itemId?: string, index?: number): Fields =>
  event("function_call_arguments.delta", { item_id: itemId, output_index: index, delta });
const ended = (text: unknown, fields: Fields = {}): Fields =>
  event("function_call_arguments.done", { arguments: text, ...fields });
const completed = (...output: Fields[]): Fields =>
  event("completed", { response: { status: "completed", output } });

const jsonBody = (fields: Fields): string =>
  JSON.stringify({ id: "r", object: "response", output: [], error: null, ...fields });
const callOf = (fields: object): ToolCall =>
  ({ id: "call_1", name: "f", dialect: "responses", type: "function", ...fields }) as ToolCall;
const outputOf = (id: string): Fields => ({
  type: "function_call_output",
  call_id: `call_${id}`,
  output: "",
});

/** What a body of these events gives. */
async function read(...events: Fields[]) {
  const { events: found, error, completion } = await readEvents([sse(...events)]);
  const calls = found.flatMap((each) => (each.type === "tool-call" ? [each.call] : []));
  return {
    calls,
    brief: brief([...calls].sort((a, b) => a.index - b.index)),
    ids: calls.map(({ providerId }) => providerId),
    text: found.map((each) => (each.type === "text" ? each.text : "")).join(""),
    reasoning: found.map((each) => (each.type === "reasoning" ? each.text : "")).join(""),
    message: completion.dialect === "responses" ? completion.message : undefined,
    diagnostics: completion.diagnostics.map(({ code, severity }) => `${code} ${severity}`),
    finishReason: completion.finishReason,
    usage: completion.usage,
    error: error as { code?: string; provider?: object } | undefined,
  };
}

const f = (text: string, status = "complete"): string => `f ${text} ${status}`;

describe("calls", () => {
  test.each<[string, Fields[], string[]]>([
    [
      "fragments by item id",
      [
        added(called("a", "f", ""), 0),
        added(called("b", "f", ""), 0),
        fragment('{"a"', "fc_a", 0),
        fragment('{"b":2}', "fc_b", 0),
        fragment(":1}", "fc_a", 0),
        completed(),
      ],
      [f('{"a":1}'), f('{"b":2}')],
    ],
    [
      "fragments by call id, in the field of the item id or its own",
      [
        added(called("a", "f", ""), 0),
        added(called("b", "f", ""), 1),
        fragment('{"a"', "call_a"),
        { ...fragment(":1}"), call_id: "call_a" },
        fragment('{"b":2}', "call_b"),
        completed(),
      ],
      [f('{"a":1}'), f('{"b":2}')],
    ],
    [
      "fragments by index, where the item of the newest call there is not done",
      [
        added(called("a", "f", ""), 0),
        added(called("b", "f", ""), 0),
        done(called("b", "f", '{"b":2}'), 0),
        fragment('{"a":1}', "unknown", 0),
        completed(),
      ],
      [f('{"a":1}'), f('{"b":2}')],
    ],
    [
      "fragments of nothing to the newest open call",
      [
        added(called("a", "f", "")),
        fragment('{"a":1}'),
        added(called("b", "f", "")),
        fragment('{"b":2}'),
        completed(),
      ],
      [f('{"a":1}'), f('{"b":2}')],
    ],
    [
      "fragments that wait for the name in the item",
      [
        fragment('{"a":', "fc_a", 0),
        fragment("1}", "fc_a", 0),
        done(called("a", "f", ""), 0),
        completed(),
      ],
      [f('{"a":1}')],
    ],
    [
      "fragments that wait for the name in their end",
      [fragment('{"a":1}', "x"), ended('{"a":1}', { item_id: "x", name: " f " }), completed()],
      [f('{"a":1}')],
    ],
    [
      "fragments that wait for the name in the response",
      [fragment('{"a":1}', "x", 0), completed(called("a", "f", '{"a":1}'))],
      [f('{"a":1}')],
    ],
    [
      "an item again under the same index and call id",
      [
        added(called("a", "f", ""), 0),
        added(called("a", "f", "", { id: null }), 0),
        done(called("a", "f", '{"a":1}'), 0),
        completed(),
      ],
      [f('{"a":1}')],
    ],
    [
      "an end that names no item, of the newest open call",
      [
        added(called("a", "f", "")),
        fragment('{"a":', "fc_a"),
        done({ type: "function_call", name: "f", arguments: '{"a":1}' }),
        done({ type: "function_call", name: "f", arguments: '{"b":2}' }),
        added(called("c", "g", "")),
        done({ type: "function_call", name: "f", arguments: '{"c":3}' }),
        completed(),
      ],
      [f('{"a":1}'), f('{"b":2}'), "g {} complete", f('{"c":3}')],
    ],
    [
      "a start that comes again behind the end, without its id",
      [
        added(called("a", "f", "", { id: null }), 0),
        done(called("a", "f", '{"a":1}', { id: null }), 0),
        added(called("a", "f", "", { id: null }), 0),
        completed(),
      ],
      [f('{"a":1}')],
    ],
    [
      "fragments of an item that never started, beside one that is open",
      [
        added(called("a", "f", "")),
        fragment('{"b":', "fc_b"),
        fragment("2}", "fc_b"),
        fragment('{"a":1}', "fc_a"),
        done(called("b", "f", '{"b":2}')),
        completed(),
      ],
      [f('{"a":1}'), f('{"b":2}')],
    ],
    [
      "a number behind a placeholder in the start",
      [added(called("a", "f", "{}")), fragment("12", "fc_a"), completed()],
      [f("12")],
    ],
    [
      "arguments in their end alone",
      [ended('{"a":1}', { output_index: 0, name: "f" }), completed()],
      [f('{"a":1}')],
    ],
    [
      "arguments that are an object",
      [done(called("a", "f", "", { arguments: { a: 1 } })), completed()],
      [f('{"a":1}')],
    ],
    [
      "an item whose end comes twice",
      [done(called("a", "f", '{"a":1}')), done(called("a", "f", '{"a":1}')), completed()],
      [f('{"a":1}')],
    ],
    [
      "an item of which only the call id is known",
      [
        added(called("a", "f", "", { id: undefined })),
        done(called("a", "f", '{"a":1}', { id: undefined })),
        completed(),
      ],
      [f('{"a":1}')],
    ],
    [
      "two items with one call id",
      [
        done(called("a", "f", '{"a":1}')),
        done(called("a", "f", '{"a":2}', { id: "fc_b" })),
        completed(),
      ],
      [f('{"a":1}'), f('{"a":2}')],
    ],
    ["no arguments", [done(called("a", "f", "")), completed()], [f("{}")]],
    [
      "no arguments of a response that was cut",
      [done(called("a", "f", "")), event("incomplete", { response: {} })],
      [f("", "truncated")],
    ],
    ["no name", [fragment('{"a":1}', "x"), completed()], [' {"a":1} nameless']],
    [
      "a placeholder, and then the arguments",
      [added(called("a", "f", "{}")), done(called("a", "f", '{"a":1}')), completed()],
      [f('{"a":1}')],
    ],
    [
      "text in pieces that is no JSON, and then the arguments",
      [
        added(called("a", "f", "")),
        fragment("{a", "fc_a"),
        ended('{"a":1}', { item_id: "fc_a" }),
        completed(),
      ],
      [f('{"a":1}')],
    ],
    [
      "fragments for an item that is no call: none",
      [
        added({ type: "mcp_call", id: "m" }, 0),
        fragment('{"a":1}', "m", 0),
        ended("{}", { item_id: "m" }),
        completed(),
      ],
      [],
    ],
    [
      "an item without a type, and a call with the id of a message: none",
      [
        added({ id: "x" }),
        done({ id: "x" }),
        added({ type: "message", id: "fc_a" }),
        added(called("a", "f", "")),
        done(called("a", "f", '{"a":1}')),
        completed({ type: 5 }),
      ],
      [],
    ],
    [
      "the end of an item with another call id: not that of the open call",
      [
        added(called("a", "f", "", { id: undefined })),
        done(called("b", "f", '{"b":2}', { id: undefined })),
        completed(),
      ],
      [f("{}"), f('{"b":2}')],
    ],
    ["an empty fragment: none", [fragment("", "x"), fragment(null, "x"), completed()], []],
  ])("%s", async (_name, events, calls) => {
    const found = await read(...events);
    expect(found.brief).toEqual(calls);
    expect(found.error).toBeUndefined();
  });

  test("the response takes calls by id, then by call id, then by name, each once", async () => {
    const { calls, ids, diagnostics } = await read(
      added(called("a", "f", "")),
      added(called("b", "f", "")),
      added(called("c", "f", "")),
      completed(
        called("x", "f", '{"c":3}'),
        called("y", "f", '{"b":2}', { call_id: "call_b" }),
        called("a", "f", '{"a":1}', { call_id: "other" }),
        called("z", "f", '{"d":4}'),
        called("v", "g", '{"e":5}'),
      ),
    );
    expect(ids).toEqual(["call_c", "call_b", "call_a", "call_z", "call_v"]);
    expect(calls.map((call) => call.arguments)).toEqual([
      '{"c":3}',
      '{"b":2}',
      '{"a":1}',
      '{"d":4}',
      '{"e":5}',
    ]);
    expect(diagnostics).toEqual([]);
  });

  test("a call id that is empty at first is the one that comes later", async () => {
    const { ids } = await read(
      added(called("a", "f", "", { call_id: "" })),
      done(called("a", "f", '{"a":1}')),
      completed(called("a", "f", '{"a":1}', { call_id: "other" })),
    );
    expect(ids).toEqual(["call_a"]);
  });

  test("an object behind the arguments is lost, not a further call", async () => {
    const { brief: found, diagnostics } = await read(
      added(called("a", "f", "")),
      fragment('{"a":1}{"b":2}', "fc_a"),
      completed(),
    );
    expect(found).toEqual([f('{"a":1}')]);
    expect(diagnostics).toEqual(["late-text error"]);
  });

  test("arguments that contradict those that came in pieces are an error", async () => {
    const { brief: found, diagnostics } = await read(
      added(called("a", "f", "")),
      fragment('{"a":1}', "fc_a"),
      ended('{"a":2}', { item_id: "fc_a" }),
      completed(),
    );
    expect(found).toEqual([f('{"a":1}')]);
    expect(diagnostics).toEqual(["late-text error"]);
  });

  test("custom input is final in its last form, and complete at a normal end", async () => {
    const item = { type: "custom_tool_call", id: "ctc", call_id: "c", name: "sh" };
    const delta = event("custom_tool_call_input.delta", { item_id: "ctc", delta: "ls" });
    const end = event("custom_tool_call_input.done", { item_id: "ctc", input: "ls -l" });
    expect((await read(added({ ...item, input: "" }), delta, end, completed())).brief).toEqual([
      "sh ls -l complete",
    ]);
    expect((await read(delta, done({ ...item, input: "pwd" }), completed())).brief).toEqual([
      "sh pwd complete",
    ]);
    expect((await read(added(item), delta)).brief).toEqual(["sh ls truncated"]);
  });
});

describe("the end", () => {
  test.each<[string, Fields[], string | null, string | undefined]>([
    ["completed", [completed()], "completed", undefined],
    ["done", [event("done", { response: {} })], "completed", undefined],
    [
      "incomplete, and why",
      [
        event("incomplete", {
          response: { status: "incomplete", incomplete_details: { reason: "max_output_tokens" } },
        }),
      ],
      "max_output_tokens",
      undefined,
    ],
    ["incomplete", [event("incomplete", {})], "incomplete", undefined],
    ["cancelled", [event("cancelled", { response: {} })], "cancelled", undefined],
    [
      "failed, and why",
      [event("failed", { response: { status: "failed", error: { code: "c", message: "m" } } })],
      "failed",
      "provider-error",
    ],
    ["failed, without a word", [event("failed", { response: {} })], "failed", "provider-error"],
    ["missing", [event("in_progress", {})], null, "truncated-response"],
  ])("%s", async (_name, events, finishReason, code) => {
    const found = await read(event("created", { response: {} }), ...events);
    expect(found.finishReason).toBe(finishReason);
    expect(found.error?.code).toBe(code);
  });

  test("an error that follows a failure says why", async () => {
    const { error } = await read(event("failed", { response: {} }), {
      type: "error",
      code: "c",
      message: "m",
      param: null,
    });
    expect(error).toMatchObject({ provider: { code: "c", message: "m" } });
  });

  test("[DONE] alone proves nothing", async () => {
    const { events, error } = await readEvents([sse(added(called("a", "f", "")), "[DONE]")]);
    const calls = events.flatMap((each) => (each.type === "tool-call" ? [each.call] : []));
    expect(brief(calls)).toEqual([f("", "truncated")]);
    expect(error).toMatchObject({ code: "truncated-response" });
  });

  test("usage is that of the response", async () => {
    const { usage } = await read(event("completed", { response: { usage: { total_tokens: 5 } } }));
    expect(usage).toEqual({ total_tokens: 5 });
  });
});

const message = (text: string, fields: Fields = {}): Fields => ({
  type: "message",
  id: "msg_1",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [] }],
  ...fields,
});
const { id: _id, ...written } = message("Hi there");
const textDelta = (delta: string, fields: Fields = {}): Fields =>
  event("output_text.delta", { item_id: "msg_1", content_index: 0, delta, ...fields });

describe("the message", () => {
  test.each<[string, Fields[], string, unknown[]]>([
    [
      "an item in deltas, and at its end",
      [
        added(message("", { content: [] }), 0),
        textDelta("Hi "),
        textDelta("there"),
        done(message("Hi there"), 0),
        completed(message("Hi there", { id: "msg_2" })),
      ],
      "Hi there",
      [written],
    ],
    ["an item at its end alone", [done(message("Hi there")), completed()], "Hi there", [written]],
    ["an item in the response alone", [completed(message("Hi there"))], "Hi there", [written]],
    [
      "an item in deltas, and in the response",
      [added(message("", { content: [] })), textDelta("Hi there"), completed(message("Hi there"))],
      "Hi there",
      [written],
    ],
    [
      "deltas that no item holds",
      [textDelta("Hi "), textDelta("there"), completed()],
      "Hi there",
      [{ ...written, status: "incomplete" }],
    ],
    [
      "deltas by their index alone",
      [
        added(message("", { content: [] }), 3),
        textDelta("Hi there", { item_id: "rotated", output_index: 3 }),
        done(message("Hi there", { id: "other" }), 3),
        completed(),
      ],
      "Hi there",
      [written],
    ],
    [
      "deltas of nothing",
      [
        added(message("", { content: [] })),
        textDelta("Hi there", { item_id: undefined }),
        done(message("Hi there", { id: undefined })),
        completed(),
      ],
      "Hi there",
      [written],
    ],
    [
      "a refusal, which is no text",
      [
        event("refusal.delta", { item_id: "m", delta: "I will " }),
        event("refusal.delta", { item_id: "m", delta: "not." }),
      ],
      "",
      [
        {
          type: "message",
          role: "assistant",
          content: [{ type: "refusal", refusal: "I will not." }],
          status: "incomplete",
        },
      ],
    ],
    [
      "hosted tools as they ended, with their ids",
      [
        added({ type: "web_search_call", id: "ws", status: "in_progress" }, 0),
        done({ type: "web_search_call", id: "ws", status: "completed" }, 0),
        done({ type: "computer_call", id: "cu", call_id: "call_cu", action: {} }, 1),
        completed(),
      ],
      "",
      [
        { type: "web_search_call", id: "ws", status: "completed" },
        { type: "computer_call", id: "cu", call_id: "call_cu", action: {} },
      ],
    ],
    [
      "an item whose start comes twice, and one without an id",
      [
        added(message("", { content: [] })),
        added(message("", { content: [] })),
        done(message("Hi there")),
        done({ type: "x" }),
        completed(),
      ],
      "Hi there",
      [written, { type: "x" }],
    ],
    [
      "reasoning that no item holds",
      [event("reasoning_text.delta", { item_id: "rs", delta: "Hm." }), completed()],
      "",
      [
        {
          type: "reasoning",
          id: "rs",
          summary: [],
          content: [{ type: "reasoning_text", text: "Hm." }],
        },
      ],
    ],
    ["nothing for empty deltas", [textDelta(""), completed()], "", []],
    [
      "parts that show nothing",
      [
        done(
          message("", {
            content: ["a", { type: "output_text", text: "" }, { type: "x", text: "y" }],
          }),
        ),
        completed(),
      ],
      "",
      [
        message("", {
          id: undefined,
          content: ["a", { type: "output_text", text: "" }, { type: "x", text: "y" }],
        }),
      ],
    ],
    [
      "no text for a delta of a call",
      [added(called("a", "f", "")), textDelta("Hi", { item_id: "fc_a" })],
      "",
      [],
    ],
  ])("has %s", async (_name, events, text, items) => {
    const found = await read(...events);
    expect(found.text).toBe(text);
    expect(found.message?.filter(({ type }) => type !== "function_call")).toEqual(items);
  });

  test("has reasoning as it ended: its encrypted content, or the id that stands for it", async () => {
    const item = { type: "reasoning", id: "rs", summary: [] };
    const deltas = [
      event("reasoning_summary_text.delta", { item_id: "rs", summary_index: 0, delta: "Think " }),
      event("reasoning_summary_text.delta", { item_id: "rs", summary_index: 1, delta: "twice." }),
      event("reasoning_text.delta", { item_id: "rs", content_index: 0, delta: "Hm." }),
    ];
    const summary = [{ type: "summary_text", text: "Think twice." }];
    const cut = await read(added(item), ...deltas);
    expect(cut.reasoning).toBe("Think twice.Hm.");
    expect(cut.message).toEqual([
      {
        ...item,
        summary: [
          { type: "summary_text", text: "Think " },
          { type: "summary_text", text: "twice." },
        ],
        content: [{ type: "reasoning_text", text: "Hm." }],
      },
    ]);
    const asIs = await read(added(item), ...deltas, done({ ...item, summary }), completed());
    expect(asIs.message).toEqual([{ ...item, summary }]);
    const encrypted = { ...item, summary, encrypted_content: "b" };
    const whole = await read(
      added({ ...item, encrypted_content: "a" }),
      done(encrypted),
      completed(),
    );
    expect(whole.reasoning).toBe("Think twice.");
    expect(whole.message).toEqual([{ type: "reasoning", summary, encrypted_content: "b" }]);
  });

  test("has calls where they stood, under fresh ids and with unknown fields", async () => {
    const { calls, message: items } = await read(
      done(called("a", "f", '{"a":1}', { namespace: "n", caller: null, status: "completed" })),
      done(message("Hi there")),
      done({ type: "custom_tool_call", id: "c", call_id: "c", name: "sh", input: "ls" }),
      added(called("b", null, "")),
      fragment('{"b":', "fc_b"),
      completed(),
    );
    const ids = [...calls].sort((a, b) => a.index - b.index).map(({ id }) => id);
    expect(items).toEqual([
      {
        type: "function_call",
        call_id: ids[0],
        name: "f",
        arguments: '{"a":1}',
        namespace: "n",
        status: "completed",
      },
      written,
      { type: "custom_tool_call", call_id: ids[1], name: "sh", input: "ls", status: "completed" },
      {
        type: "function_call",
        call_id: ids[2],
        name: "unnamed_tool",
        arguments: "{}",
        status: "incomplete",
      },
    ]);
  });

  test("has no place for a call that was dropped as a copy", async () => {
    const { message: items } = await read(
      done(called("a", "f", '{"a":1}')),
      done(called("a", "f", '{"a":1}', { id: "other", call_id: "call_a" })),
      done(called("b", "f", '{"b":2}')),
      completed(),
    );
    expect(items?.map((item) => item["arguments"])).toEqual(['{"a":1}', '{"b":2}']);
  });

  test("forgets which item is which beyond some thousands of them", async () => {
    const others = Array.from({ length: 5000 }, (_, index) =>
      done({ type: "web_search_call", id: `ws_${index}` }),
    );
    const { message: items, error } = await read(...others, ...others.slice(-1), completed());
    expect(items).toHaveLength(5001);
    expect(error).toBeUndefined();
  });

  test("calls that have no place come last", () => {
    const call = { id: "i", name: "f", arguments: "{}", type: "function", index: 3 } as ToolCall;
    expect(responses.draftMessage().write([call])).toMatchObject([{ call_id: "i" }]);
  });

  test("a text of an item that is gone is not kept", () => {
    const delta = { type: "text", choice: 0, field: "7", path: "output_text 0" } as const;
    expect(responses.draftMessage().add({ ...delta, value: "Hi" })).toBe(0);
  });
});

describe("a body without streaming", () => {
  test("is read like the whole response", async () => {
    const output = [message("Hi there"), called("a", "f", '{"a":1}')];
    const { events, error, completion } = await readEvents([
      jsonBody({ status: "completed", output }),
    ]);
    expect(events.map(({ type }) => type)).toEqual([
      "text",
      "tool-call-start",
      "tool-call-delta",
      "tool-call",
      "finish",
    ]);
    expect(completion.message).toMatchObject([written, { type: "function_call" }]);
    expect(error).toBeUndefined();
  });

  test("may be an error", async () => {
    const { error } = await readEvents([jsonBody({ status: "failed", error: { message: "m" } })]);
    expect(error).toMatchObject({ code: "provider-error", provider: { message: "m" } });
  });
});

describe("results and histories", () => {
  test("a result is an item", () => {
    expect(toolResult(callOf({}), { a: 1 })).toEqual({
      type: "function_call_output",
      call_id: "call_1",
      output: '{"a":1}',
    });
    expect(toolResult(callOf({ type: "custom" }), "x")).toEqual({
      type: "custom_tool_call_output",
      call_id: "call_1",
      output: "x",
    });
  });

  const history = [
    { role: "user", content: "Hi" },
    { type: "reasoning", summary: [], encrypted_content: "x" },
    called("a", "f", "{}"),
    { type: "reasoning", summary: [], encrypted_content: "y" },
    { type: "custom_tool_call", call_id: "call_b", name: "g", input: "" },
    { type: "custom_tool_call_output", call_id: "call_b", output: "" },
    outputOf("a"),
    called("a", "f", "{}"),
    outputOf("a"),
  ];

  test("each call and each result is an item of its own", () => {
    expect(findPairingFaults(history)).toEqual([
      { code: "repeated-id", id: "call_a", position: 7 },
    ]);
    expect(findPairingFaults([called("a", "f", "{}"), outputOf("b")])).toEqual([
      { code: "missing-result", id: "call_a", position: 0 },
      { code: "orphan-result", id: "call_b", position: 1 },
    ]);
    const late = [
      called("a", "f", "{}"),
      called("b", "f", "{}"),
      outputOf("b"),
      history[0],
      outputOf("a"),
    ];
    expect(findPairingFaults(late)).toEqual([
      { code: "misplaced-result", id: "call_a", position: 4 },
    ]);
  });

  test("ids are renamed, calls and results alike, and nothing else", () => {
    const renamed = kimiK2ToolCallIds(history);
    expect(renamed.map((item) => ("call_id" in item ? item["call_id"] : undefined))).toEqual([
      undefined,
      undefined,
      "functions.f:0",
      undefined,
      "functions.g:1",
      "functions.g:1",
      "functions.f:0",
      "functions.f:2",
      "functions.f:2",
    ]);
    expect(findPairingFaults(renamed)).toEqual([]);
    expect(mapToolCallIds(history, ({ id }) => id)).toEqual(history);
  });
});

test.each<[string, string[], (string | undefined)[], string | null, string | undefined]>([
  [
    "responses-k3.sse",
    ['get_weather {"city": "Tokyo"} complete'],
    ["call_"],
    "completed",
    undefined,
  ],
  [
    "responses-k3-affected.sse",
    ['get_weather {"city": "Tokyo"} complete'],
    ["get_weather:0"],
    "completed",
    undefined,
  ],
  [
    "responses-parallel.sse",
    ['get_weather {"city": "Tokyo"} complete', 'get_weather {"city": "Paris"} complete'],
    ["call_4f1c2d3e4b5a69788796a5b4c3d2e1f0", "call_a0b1c2d3e4f5461788990a1b2c3d4e5f"],
    "completed",
    undefined,
  ],
  [
    "responses-truncated.sse",
    ['get_weather {"city": "To truncated'],
    ["call_"],
    null,
    "truncated-response",
  ],
])("%s, at every cut", async (file, calls, ids, finishReason, code) => {
  for (const { cut } of CUTS) {
    const bytes = fixtureBytes(`wire-samples/${file}`);
    const { events, error, completion } = await readEvents(cut(bytes));
    const found = events.flatMap((each) => (each.type === "tool-call" ? [each.call] : []));
    expect(brief(found)).toEqual(calls);
    for (const [index, id] of ids.entries()) expect(found[index]?.providerId).toContain(id);
    expect(completion.finishReason).toBe(finishReason);
    expect((error as { code?: string } | undefined)?.code).toBe(code);
    expect(completion.diagnostics).toEqual([]);
  }
});
