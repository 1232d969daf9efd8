import { expect, test } from "vitest";
import { brokenBytes, readEvents, sse } from "../bodies.ts";
import { assemble, brief, calls, chunk, entry, finish } from "../chat-chunks.ts";
import { CUTS } from "../cuts.ts";
import { chatMessage } from "../chat-message.ts";
import {
  blockStop,
  ending,
  input,
  messageStart,
  stopReason,
  toolStart,
} from "../messages-events.ts";

const whole = calls(entry(0, "a", "f", '{"x":1}'));
const open = calls(entry(1, "b", "g", '{"y":'));

/** What comes of a body, the same at every cut. */
async function read(body: string) {
  const bytes = new TextEncoder().encode(body);
  const results = await Promise.all(
    CUTS.map(async ({ cut }) => {
      const { events, error, completion } = await readEvents(cut(bytes), {
        generateId: counter(),
      });
      const found = events.flatMap((event) => (event.type === "tool-call" ? [event.call] : []));
      return { types: events.map(({ type }) => type), found: brief(found), error, completion };
    }),
  );
  const [first, ...others] = results;
  if (first === undefined) throw new Error("No cuts");
  for (const other of others) expect(other).toEqual(first);
  return first;
}

function counter(): () => string {
  let count = 0;
  return () => `id_${(count += 1)}`;
}

test.each<[string, string, object]>([
  [
    "an error object",
    sse(whole, open, { error: { message: "m", type: "t", code: 5, param: "p" } }, "[DONE]"),
    { code: 5, type: "t", message: "m", param: "p" },
  ],
  ["an error string", sse(whole, open, { error: "m" }), { message: "m" }],
  ["error: true", sse(whole, open, { error: true, message: "m" }), { message: "m" }],
  ["an empty error object", sse(whole, open, { error: {} }), { message: undefined }],
  [
    "an error in a choice",
    sse(whole, open, chunk({}, { error: { message: "m" } })),
    { message: "m" },
  ],
  ["an error beside choices", sse(whole, { ...open, error: { message: "m" } }), { message: "m" }],
  [
    "an error event",
    `${sse(whole, open)}event: error\n${sse({ error: { message: "m" } })}`,
    { message: "m" },
  ],
  [
    "a flat error event",
    `${sse(whole, open)}event: error\n${sse({ message: "m", code: "c" })}`,
    { message: "m", code: "c" },
  ],
  [
    "an error event of text",
    `${sse(whole, open)}event: error\n${sse("boom")}`,
    { message: "boom" },
  ],
  ["an error field", `${sse(whole, open)}error: {"message":"m"}\n\n`, { message: "m" }],
  ["vLLM's flat error", sse(whole, open, { object: "error", message: "m" }), { message: "m" }],
])("provider-error: %s, behind every call", async (_name, body, provider) => {
  const { found, error } = await read(body);
  expect(found).toEqual(['f {"x":1} complete', 'g {"y": truncated']);
  expect(error).toMatchObject({ name: "ToolCallStreamError", code: "provider-error", provider });
});

test("provider-error: calls in the event of the error are read before it counts", async () => {
  const body = sse({ error: { message: "m" }, choices: [{ delta: {} }, ...choicesOf(whole)] });
  expect((await read(body)).found).toEqual(['f {"x":1} complete']);
});

function choicesOf(value: object): unknown[] {
  return "choices" in value && Array.isArray(value.choices) ? value.choices : [];
}

test.each([null, "", false, []])("error: %j is none", async (error) => {
  const { error: raised } = await read(sse({ ...whole, error }, { error }, "[DONE]"));
  expect(raised).toBeUndefined();
});

test.each<[string, string]>([
  ["a foreign event", `event: progress\n${sse({ error: "x", toolCallId: "a" })}`],
  ["a ping", "event: ping\ndata: pong\n\n"],
  ["a payload of no known shape", sse({ cost: 1 })],
  ["null, numbers and strings", sse("null", "1", '"x"')],
  ["a comment as payload", sse(": KEEPALIVE")],
  ["an empty payload", "data:\n\n"],
  ["choices null", sse({ object: "chat.completion.chunk", choices: null })],
  ["choices of null", sse({ choices: [null] })],
  ["a delta of null", sse(chunk(null))],
  ["tool_calls of null", sse(calls(), chunk({ tool_calls: [null] }))],
])("skipped: %s", async (_name, noise) => {
  const { found, error, completion } = await read(
    `${noise}${sse(open)}${noise}${sse(calls(entry(1, "", "", "1}")), "[DONE]")}`,
  );
  expect(found).toEqual(['g {"y":1} complete']);
  expect(error).toBeUndefined();
  expect(completion.diagnostics).toEqual([]);
});

test("a payload in an error event that has a known shape is read as what it is", async () => {
  const { found, error } = await read(`event: error\n${sse(whole)}${sse("[DONE]")}`);
  expect(found).toEqual(['f {"x":1} complete']);
  expect(error).toBeUndefined();
});

test("damage: open calls end incomplete, those that come behind it do not", async () => {
  const { found, completion, error } = await read(
    sse(
      whole,
      open,
      calls(entry(2, "c", "h", "{}")),
      '{"choices":[{"delta',
      calls(entry(1, "", "", "1}")),
      calls(entry(3, "d", "i", '{"z":1}')),
      finish("tool_calls"),
      "[DONE]",
    ),
  );
  expect(found).toEqual([
    'f {"x":1} complete',
    'i {"z":1} complete',
    'g {"y":1} damaged',
    "h {} damaged",
  ]);
  expect(completion.diagnostics).toMatchObject([
    { code: "damaged-event", severity: "error", event: 3 },
  ]);
  expect(error).toBeUndefined();
});

test("damage: a different object behind it is no call, wherever it stands", async () => {
  const { found, completion } = await read(
    sse(whole, "oops", calls(entry(0, "", "", '{"x":2}')), finish("stop")),
  );
  expect(found).toEqual(['f {"x":1} complete']);
  expect(completion.diagnostics).toMatchObject([
    { code: "damaged-event", severity: "error" },
    { code: "late-text", severity: "error", id: "id_1" },
  ]);
});

test("glued frames: what is whole is read, up to [DONE]", async () => {
  const { found, completion } = await read(
    sse(
      `${JSON.stringify(whole)}data: ${JSON.stringify(finish("stop"))}[DONE]${JSON.stringify(open)}`,
    ),
  );
  expect(found).toEqual(['f {"x":1} complete']);
  expect(completion.finishReason).toBe("stop");
  expect(completion.diagnostics).toMatchObject([{ code: "reframed-event", severity: "warning" }]);
});

test("glued frames: a call that is open misses nothing", async () => {
  const { found, completion } = await read(
    sse(open, `data: ${JSON.stringify(chunk({ content: "Hi" }))}`, calls(entry(1, "", "", "1}"))) +
      sse(finish("stop")),
  );
  expect(found).toEqual(['g {"y":1} complete']);
  expect(completion.diagnostics).toMatchObject([{ code: "reframed-event", severity: "warning" }]);
});

test.each<[string, string, string | undefined, string[]]>([
  ["nothing", "", "truncated-response", []],
  ["comments", ": hi\n\n", "truncated-response", []],
  ["[DONE] alone", sse("[DONE]"), undefined, []],
  ["[DONE] in an event with a name", `event: done\n${sse("[DONE]")}`, undefined, []],
  ["a complete call, no end", sse(whole), "truncated-response", ['f {"x":1} complete']],
  [
    "an open call, no end",
    sse(whole, open),
    "truncated-response",
    ['f {"x":1} complete', 'g {"y": truncated'],
  ],
  ["a finish reason, no [DONE]", sse(whole, finish("stop")), undefined, ['f {"x":1} complete']],
  [
    "one choice of two without a reason",
    sse(whole, finish("stop"), { choices: [{ index: 1, delta: {} }] }),
    "truncated-response",
    ['f {"x":1} complete'],
  ],
  [
    "an event without its blank line",
    sse(whole, finish("stop")).trimEnd(),
    undefined,
    ['f {"x":1} complete'],
  ],
  [
    "a [DONE] without its blank line",
    `${sse(whole)}data: [DONE]`,
    undefined,
    ['f {"x":1} complete'],
  ],
  [
    "an event that the end cuts",
    `${sse(whole, finish("stop"))}data: {"cho`,
    undefined,
    ['f {"x":1} complete'],
  ],
  [
    "an event that the end cuts, behind a call that waits for it",
    `${sse(calls(entry(0, "a", "f", "{}")), finish("stop"))}data: {"cho`,
    undefined,
    ["f {} complete"],
  ],
  [
    "events behind [DONE]",
    sse(whole, "[DONE]", open, "oops", { error: "x" }),
    undefined,
    ['f {"x":1} complete'],
  ],
  ["an HTML page", "<html>\n<p>data: no</p>", "not-an-event-stream", []],
  ["JSON of no known shape", '{"detail":"Not Found"}', "not-an-event-stream", []],
  ["JSON that is cut", '{"choices":[{"mess', "truncated-response", []],
  ["JSON and more", '{"choices":[]} {"choices":[]}', "not-an-event-stream", []],
  ["a JSON error", '{"error":{"message":"m"}}', "provider-error", []],
  ["a list of JSON errors", '[{"error":{"message":"m"}}]', "provider-error", []],
])("how a body ends: %s", async (_name, body, code, expected) => {
  const { found, error } = await read(body);
  expect(found).toEqual(expected);
  expect((error as { code?: string } | undefined)?.code).toBe(code);
});

test("the error of a body that ends early has the number of the event that is missing", async () => {
  expect((await read(sse(whole, open))).error).toMatchObject({
    code: "truncated-response",
    event: 2,
  });
});

test("a JSON body is read like a stream, whether or not it has a finish reason", async () => {
  const message = { content: "Hi", tool_calls: [entry(undefined, "a", "f", "{}")] };
  for (const reason of ["tool_calls", undefined]) {
    const body = JSON.stringify(
      { choices: [{ index: 0, message, finish_reason: reason }] },
      null,
      1,
    );
    const { found, completion, error } = await read(`${body}\n[DONE]\n`);
    expect(found).toEqual(["f {} complete"]);
    expect(chatMessage(completion)?.content).toBe("Hi");
    expect(error).toBeUndefined();
  }
});

test("a list of chunks as body is read by element", async () => {
  const body = JSON.stringify([open, calls(entry(1, "", "", "1}")), finish("stop")]);
  expect((await read(body)).found).toEqual(['g {"y":1} complete']);
});

test("a whole message behind its own deltas says nothing new", async () => {
  const message = { content: "Hi", tool_calls: [entry(undefined, "a", "f", '{"x":1}')] };
  const { types, found, completion } = await read(
    sse(chunk({ content: "Hi" }), whole, { choices: [{ message, finish_reason: "stop" }] }),
  );
  expect(types.filter((type) => type === "text")).toHaveLength(1);
  expect(found).toEqual(['f {"x":1} complete']);
  expect(chatMessage(completion)?.content).toBe("Hi");
});

test("past 1,024 choices the limit is exceeded", async () => {
  const choices = Array.from({ length: 1025 }, (_, index) => ({ index, delta: { content: "x" } }));
  const { error, completion } = await read(sse({ choices }));
  expect(error).toMatchObject({ code: "limit-exceeded", limit: { value: 1024 } });
  expect(completion.choices).toHaveLength(1024);
});

test("beyond maxMessageLength only the message is given up", async () => {
  const bytes = new TextEncoder().encode(
    sse(chunk({ content: "Hello" }), chunk({ reasoning: "world" }), whole, finish("stop")),
  );
  const { events, completion, error } = await readEvents([bytes], { maxMessageLength: 9 });
  expect(error).toBeUndefined();
  expect(completion.message).toBeUndefined();
  expect(completion.toolCalls).toHaveLength(1);
  expect(completion.diagnostics).toMatchObject([{ code: "message-too-long", severity: "error" }]);
  expect(events.filter(({ type }) => type === "text" || type === "reasoning")).toHaveLength(2);
});

test.each([
  ["Hello", { role: "assistant", content: "Hello" }],
  ["Hello!", undefined],
])("with maxMessageLength 5, the message of the text %j is %j", (content, message) => {
  const { completion } = assemble([chunk({ content }), finish("stop")], { maxMessageLength: 5 });
  expect(completion.message).toEqual(message);
});

test("events come in wire order, deltas before the finish reason of their event", async () => {
  const usage = { total_tokens: 5 };
  const { types, completion } = await read(
    sse(
      chunk({ reasoning_content: "r", content: "c" }),
      { ...calls(entry(0, "a", "f", '{"x":1}')), usage },
      chunk(
        { content: "d", tool_calls: [entry(1, "b", "g", '{"y":1}')] },
        { finish_reason: "tool_calls" },
      ),
      chunk({}, { usage }),
      "[DONE]",
    ),
  );
  expect(types).toEqual([
    "reasoning",
    "text",
    "tool-call-start",
    "tool-call-delta",
    "tool-call",
    "usage",
    "text",
    "tool-call-start",
    "tool-call-delta",
    "tool-call",
    "finish",
    "usage",
  ]);
  expect(completion.usage).toEqual(usage);
});

test.each<[string, string, object]>([
  ["an error event of a JSON string", `event: error\n${sse('"m"')}`, { message: "m" }],
  ["an error event of a list", `event: error\n${sse('[{"message":"m"}]')}`, { message: "m" }],
])("provider-error: %s, behind every call", async (_name, body, provider) => {
  const { found, error } = await read(`${sse(whole, open)}${body}`);
  expect(found).toEqual(['f {"x":1} complete', 'g {"y": truncated']);
  expect(error).toMatchObject({ code: "provider-error", provider });
});

test("an error field counts when the rest of its event has been read", async () => {
  const body = `data: ${JSON.stringify(whole)}\nerror: {"message":"m"}\n\n${sse(open)}`;
  const { found, error } = await read(body);
  expect(found).toEqual(['f {"x":1} complete']);
  expect(error).toMatchObject({ code: "provider-error", provider: { message: "m" } });
});

test.each<[string, string, string | undefined]>([
  ["JSON, then a framed [DONE]", '{"choices":[]}\n\ndata: [DONE]\n\n', undefined],
  ["white space", " \n ", "truncated-response"],
])("how a body ends: %s", async (_name, body, code) => {
  expect(((await read(body)).error as { code?: string } | undefined)?.code).toBe(code);
});

test("a payload that is nested deeper than any stack is skipped", async () => {
  const nested = `${"[".repeat(10_000)}${"]".repeat(10_000)}`;
  const { found, error } = await read(sse(nested, whole, "[DONE]"));
  expect(found).toEqual(['f {"x":1} complete']);
  expect(error).toBeUndefined();
});

test("a refusal goes into the message and is no text", () => {
  const { events, completion } = assemble([
    chunk({ refusal: "I can" }),
    chunk({ refusal: "not." }),
    finish("stop"),
  ]);
  expect(completion.message).toEqual({ role: "assistant", content: null, refusal: "I cannot." });
  expect(events.map(({ type }) => type)).toEqual(["finish"]);
});

test("diagnostics of events beyond 1,000 are only counted", async () => {
  const damaged = Array.from({ length: 1001 }, () => "{");
  const { events, completion } = await readEvents([sse(...damaged, finish("stop"), "[DONE]")]);
  expect(events.filter(({ type }) => type === "diagnostic")).toHaveLength(1000);
  expect(completion.diagnostics).toHaveLength(1000);
  expect(completion.diagnosticCount).toBe(1001);
});

/** A call that is whole and one that is open, in a dialect that says of what kind an event is. */
const messageSoFar = sse(
  messageStart(),
  toolStart(0, "f"),
  input(0, '{"x":1}'),
  blockStop(0),
  toolStart(1, "g"),
  input(1, '{"y":'),
);

test.each<[string, string, object]>([
  [
    "an error event",
    `event: error\n${sse({ type: "error", error: { type: "overloaded_error", message: "m" } })}`,
    { type: "overloaded_error", message: "m" },
  ],
  [
    "an error by its kind alone",
    sse({ type: "error", error: { type: "t", message: "m" } }),
    { type: "t", message: "m" },
  ],
  [
    "an error by its kind, whatever the name of the event",
    `event: chunk\n${sse({ type: "error", error: { message: "m" } })}`,
    { message: "m" },
  ],
  ["a flat error", sse({ type: "error", code: "c", message: "m" }), { code: "c", message: "m" }],
  [
    "a flat error in an error event",
    `event: error\n${sse({ type: "overloaded_error", message: "m" })}`,
    { type: "overloaded_error", message: "m" },
  ],
  ["an error without a kind", sse({ error: { message: "m" } }), { message: "m" }],
  ["an error that is text", "event: error\ndata: boom\n\n", { message: "boom" }],
  [
    "an error in the last line of text",
    `event: error\ndata: upstream said\ndata: {"message":"m","type":"t"}\n\n`,
    { message: "m", type: "t" },
  ],
])("provider-error, in a dialect with kinds: %s", async (_name, body, provider) => {
  const { found, error } = await read(messageSoFar + body);
  expect(found).toEqual(['f {"x":1} complete', 'g {"y": truncated']);
  expect(error).toMatchObject({ code: "provider-error", provider });
});

test.each<[string, string]>([
  ["a ping", `event: ping\n${sse({ type: "ping" })}`],
  ["an unknown kind that tells of an error", sse({ type: "progress", error: { message: "m" } })],
  ["an error of a foreign event", `event: progress\n${sse({ error: { message: "m" } })}`],
  ["a kind of another dialect", sse({ type: "response.completed", response: {} })],
  ["a chunk of another dialect", sse(whole, finish("stop"))],
])("skipped, in a dialect with kinds: %s", async (_name, noise) => {
  const body = noise + messageSoFar + noise + sse(input(1, "1}"), ...ending);
  const dialectFirst = sse(messageStart()) + body;
  const { found, error, completion } = await read(dialectFirst);
  expect(found).toEqual(['f {"x":1} complete', 'g {"y":1} complete']);
  expect(error).toBeUndefined();
  expect(completion).toMatchObject({
    dialect: "messages",
    diagnostics: [],
    finishReason: "tool_use",
  });
});

test("an event that was lost makes incomplete what is open, in every dialect", async () => {
  const { found, completion } = await read(
    `${messageSoFar}data: {"type":"content_bl\n\n${sse(toolStart(2, "h"), input(1, "1}"), ...ending)}`,
  );
  expect(found).toEqual(['f {"x":1} complete', 'g {"y":1} damaged', "h {} complete"]);
  expect(completion.diagnostics).toMatchObject([{ code: "damaged-event", severity: "error" }]);
});

test("a limit that is exceeded only when the end is read makes the rest incomplete", () => {
  const { calls: found, error } = assemble(
    [
      toolStart(0, "held"),
      toolStart(1, "f", { input: { text: "word ".repeat(20) } }),
      stopReason("tool_use"),
    ],
    { maxArgumentsLength: 50 },
  );
  expect(brief(found)).toMatchObject(["held  truncated", expect.stringMatching(/truncated$/)]);
  expect(error).toMatchObject({ code: "limit-exceeded", limit: { name: "maxArgumentsLength" } });
});

test("of a list of chunks, those behind a limit are not read", async () => {
  const list = [whole, calls(entry(1, "b", "g", '{"y":1}')), calls(entry(2, "c", "h", '{"z":1}'))];
  const body = new TextEncoder().encode(sse(list));
  const { events, error } = await readEvents([body], { maxToolCalls: 1 });
  expect(events.filter(({ type }) => type === "tool-call")).toHaveLength(1);
  expect(error).toMatchObject({ code: "limit-exceeded", limit: { name: "maxToolCalls" } });
});

const behindReason: [string, object[], string, string | undefined][] = [
  ["text", [chunk({ content: "more" })], "f  truncated", "truncated-response"],
  ["reasoning", [chunk({ reasoning: "more" })], "f  truncated", "truncated-response"],
  ["a new call", [calls(entry(1, "b", "g", '{"x":1}'))], "f  truncated", "truncated-response"],
  ["a name", [calls(entry(0, undefined, "_g", undefined))], "f_g  truncated", "truncated-response"],
  [
    "a fragment",
    [calls(entry(0, undefined, undefined, "{}"))],
    "f {} truncated",
    "truncated-response",
  ],
  ["a repeated name", [calls(entry(0, "a", "f", ""))], "f {} complete", undefined],
  ["usage", [{ choices: [], usage: { total_tokens: 1 } }], "f {} complete", undefined],
  ["an empty delta", [chunk({ content: "" })], "f {} complete", undefined],
  [
    "another choice",
    [{ choices: [{ index: 1, delta: { content: "t" }, finish_reason: "stop" }] }],
    "f {} complete",
    undefined,
  ],
  ["the reason again", [finish("stop")], "f {} complete", undefined],
];

test.each(behindReason)(
  "a finish reason behind which comes %s, without an end of the response",
  async (_name, more, call, code) => {
    const body = sse(calls(entry(0, "a", "f", "")), finish("stop"), ...more);
    const { found, error } = await read(body);
    expect(found).toContain(call);
    expect((error as { code?: string } | undefined)?.code).toBe(code);
    const done = await read(`${body}data: [DONE]\n\n`);
    expect(done.found.some((each) => each.endsWith("truncated"))).toBe(false);
    expect(done.error).toBeUndefined();
  },
);

test("a cut reason forbids what is held, whatever follows it and however the response ends", async () => {
  const body = sse(
    calls(entry(0, "a", "f", "{}")),
    finish("length"),
    chunk({ content: "t" }),
    "[DONE]",
  );
  expect(await read(body)).toMatchObject({ found: ["f {} truncated"], error: undefined });
});

test("a text answer needs no [DONE], also where its reason came first", async () => {
  const { error } = await read(
    sse(chunk({ content: "a" }), finish("stop"), chunk({ content: "b" })),
  );
  expect(error).toBeUndefined();
});

test.each<[string, string, string[]]>([
  [
    "in the arguments of a call",
    sse(calls(entry(0, "a", "f", '{"x":"\x7f"}'))),
    ['f {"x":"\uFFFD"} damaged'],
  ],
  ["beside the arguments of a call", sse({ id: "\x7f", ...whole }), ['f {"x":1} complete']],
  ["in a text", sse(chunk({ content: "\x7f" }), whole), ['f {"x":1} complete']],
])(
  "bytes that are not UTF-8 are told, and damage what they stand in: %s",
  async (_name, text, found) => {
    const bytes = brokenBytes(text + sse(finish("tool_calls"), "[DONE]"));
    for (const { cut } of CUTS) {
      const { completion } = await readEvents(cut(bytes));
      expect(brief(completion.toolCalls)).toEqual(found);
      expect(completion.diagnostics).toMatchObject([{ code: "replaced-bytes", severity: "error" }]);
    }
  },
);

const argumentsDone = (text: string) => ({
  type: "response.function_call_arguments.done",
  item_id: "i",
  arguments: text,
});

test("a whole text makes up for bytes that were not UTF-8, unless it has some itself", async () => {
  const added = {
    type: "response.output_item.added",
    output_index: 0,
    item: { type: "function_call", id: "i", call_id: "a", name: "f", arguments: "" },
  };
  const piece = {
    type: "response.function_call_arguments.delta",
    item_id: "i",
    delta: '{"x":"\x7f"}',
  };
  const end = { type: "response.completed", response: { status: "completed" } };
  for (const [text, expected] of [
    ["é", 'f {"x":"é"} complete'],
    ["\x7f", 'f {"x":"\uFFFD"} damaged'],
  ] as const) {
    const bytes = brokenBytes(sse(added, piece, argumentsDone(`{"x":"${text}"}`), end));
    const { completion } = await readEvents([bytes]);
    expect(brief(completion.toolCalls)).toEqual([expected]);
  }
});

const deep = (depth: number, value = "1"): string =>
  `${'{"a":'.repeat(depth)}${value}${"}".repeat(depth)}`;

test.each<[string, string, string]>([
  ["all at once", deep(2000), "malformed"],
  ["of lists", `${"[".repeat(2000)}${"]".repeat(2000)}`, "malformed"],
  ["less deep than is allowed", deep(900), "complete"],
  ["with brackets in a string", JSON.stringify({ a: "[".repeat(3000) }), "complete"],
  [
    "of many values, none of them deep",
    JSON.stringify(Array.from({ length: 2000 }, () => ({}))),
    "complete",
  ],
])("arguments that are nested: %s", (_name, text, expected) => {
  for (const pieces of [[text], [text.slice(0, 7), text.slice(7)]]) {
    const deltas = pieces.map((piece, position) =>
      calls(entry(0, "a", position === 0 ? "f" : undefined, piece)),
    );
    const { completion } = assemble([...deltas, finish("tool_calls")]);
    const [call] = completion.toolCalls;
    expect(call?.error?.code ?? call?.status).toBe(expected);
    expect(() => structuredClone(completion)).not.toThrow();
    expect(() => JSON.stringify(completion)).not.toThrow();
  }
});

test("arguments that are nested too deep are malformed, whatever a parser makes of them", () => {
  const { completion } = assemble([calls(entry(0, "a", "f", deep(2000))), finish("tool_calls")], {
    parseArguments: () => "parsed",
  });
  expect(completion.toolCalls[0]).toMatchObject({
    status: "incomplete",
    error: { code: "malformed" },
  });
});

test("fields that are nested too deep are dropped, with a diagnostic each", () => {
  const value: unknown = JSON.parse(deep(2000));
  const { completion } = assemble([
    { ...chunk({ role: "assistant", odd: value, content: "t" }), system_fingerprint: value },
    calls({ ...entry(0, "a", "f", '{"x":1}'), extra_content: value }),
    { choices: [], usage: { details: value } },
    { ...finish("tool_calls"), error: { message: "m", details: value } },
  ]);
  expect(completion.diagnostics.map(({ code }) => code)).toContain("nested-too-deep");
  expect(chatMessage(completion)).toMatchObject({ content: "t" });
  expect(completion.usage).toBeUndefined();
  expect(completion.toolCalls[0]).toMatchObject({ status: "complete", extra: undefined });
  expect(() => structuredClone(completion)).not.toThrow();
});

test("what a response says of itself is dropped where it is nested too deep", async () => {
  const container = `{"id":"c","files":${deep(2000)}}`;
  const start = `{"type":"message_start","message":{"id":"m","content":[],"container":${container}}}`;
  const { completion } = await readEvents([
    `data: ${start}\n\n`,
    sse(stopReason("end_turn"), ending),
  ]);
  expect(completion.response).not.toHaveProperty("container");
  expect(completion.diagnostics).toMatchObject([{ code: "nested-too-deep" }]);
});

test("an error that is nested too deep comes without what it was sent as", async () => {
  const { error } = await readEvents([
    `data: {"error":{"message":"m","details":${deep(2000)}}}\n\n`,
  ]);
  expect(error).toMatchObject({
    code: "provider-error",
    provider: { message: "m", raw: undefined },
  });
});
