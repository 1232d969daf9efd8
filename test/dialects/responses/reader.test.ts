import { describe, expect, test } from "vitest";
import { readEvents, sse } from "../../bodies.ts";
import { brief } from "../../chat-chunks.ts";
import { CUTS } from "../../cuts.ts";
import { fixtureBytes } from "../../fixtures.ts";
import {
  added,
  called,
  completed,
  done,
  ended,
  event,
  type Fields,
  fragment,
  message,
  read,
  written,
} from "./events.ts";

const jsonBody = (fields: Fields): string =>
  JSON.stringify({ id: "r", object: "response", output: [], error: null, ...fields });

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
