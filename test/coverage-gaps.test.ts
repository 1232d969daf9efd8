import { describe, expect, test } from "vitest";
import { chat } from "../src/dialects/chat.ts";
import { ToolCallStream } from "../src/index.ts";
import { jsonText } from "../src/json-value.ts";
import { bodyOf, readAll, readEvents, sse } from "./bodies.ts";
import { assemble, brief, calls, chunk, entry, finish } from "./chat-chunks.ts";

/** A custom call, whole. */
const custom = { id: "a", type: "custom", custom: { name: "sql", input: "SELECT 1" } };

describe("sse.ts", () => {
  test("a retry that is no number changes nothing, and is no foreign line", async () => {
    const body = sse(calls(entry(0, "a", "f", '{"x":1}')), finish("stop"), "[DONE]");
    const { events, error } = await readEvents([`retry: soon\n${body}`]);

    expect(error).toBeUndefined();
    expect(events.filter(({ type }) => type === "tool-call")).toHaveLength(1);
    expect((await readEvents(["retry: soon\n\n"])).error).toMatchObject({
      code: "truncated-response",
    });
  });

  test("a chunk of no bytes changes nothing", async () => {
    const body = sse(calls(entry(0, "a", "f", '{"x":"é"}')), finish("stop"), "[DONE]");
    const bytes = new TextEncoder().encode(body);
    const cut = bytes.indexOf(0xc3) + 1;
    const chunks = [bytes.subarray(0, cut), new Uint8Array(), bytes.subarray(cut)];
    const { completion, error } = await readEvents(chunks);

    expect(error).toBeUndefined();
    expect(brief(completion.toolCalls)).toEqual(['f {"x":"é"} complete']);
  });
});

describe("dialects/chat.ts", () => {
  test.each([
    {
      what: "the message beside a delta that is no object is not read",
      choice: { delta: "text", message: { content: "not read" } },
      deltas: [{ type: "choice", choice: 0 }],
    },
    {
      what: "a function_call of no fields says nothing",
      choice: { delta: { function_call: {} } },
      deltas: [{ type: "choice", choice: 0 }],
    },
    {
      what: "parts of content that are no objects are left out",
      choice: { delta: { content: ["a", null, { type: "text", text: "b" }] } },
      deltas: [{ type: "text", choice: 0, field: "content", text: "b", isWhole: false }],
    },
  ])("$what", ({ choice, deltas }) => {
    expect(chat.read({ choices: [choice] })).toEqual(deltas);
  });
});

describe("turn.ts", () => {
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
});

describe("assembler.ts", () => {
  test("an object behind a placeholder waits for the name of its call", () => {
    const unnamed = [
      calls(entry(0, "a", undefined, "{}")),
      calls(entry(0, undefined, undefined, '{"x":1}')),
    ];

    const late = assemble([...unnamed, calls(entry(0, undefined, "f")), finish("tool_calls")]);
    expect(brief(late.calls)).toEqual(['f {"x":1} complete']);
    const never = assemble([...unnamed, finish("tool_calls")]);
    expect(brief(never.calls)).toEqual([' {"x":1} nameless']);
  });

  test("a stream of calls keeps the diagnostics of calls for its completion", async () => {
    const stream = new ToolCallStream();
    const repeated = calls(entry(0, "a", "f", '{"x":1}{"x":1}'));
    const body = bodyOf([sse(repeated, finish("tool_calls"), "[DONE]")]);
    const { values } = await readAll(body.pipeThrough(stream));

    expect(brief(values)).toEqual(['f {"x":1} complete']);
    expect((await stream.completion).diagnostics).toMatchObject([{ code: "repeated-arguments" }]);
  });

  test("diagnostics of calls beyond 1,000 are only counted", () => {
    const repeated = calls(entry(0, "a", "f", '{"x":1}'.repeat(1002)));
    const { events, completion } = assemble([repeated, finish("tool_calls")]);

    expect(events.filter(({ type }) => type === "diagnostic")).toHaveLength(1000);
    expect(completion.diagnosticCount).toBe(1001);
  });

  test("a message repeats the custom call of its deltas", () => {
    const message = { choices: [{ message: { tool_calls: [custom] }, finish_reason: "stop" }] };
    // The delta's index is not the position in the message.
    const { calls: out, completion } = assemble([calls({ index: 1, ...custom }), message]);

    expect(brief(out)).toEqual(["sql SELECT 1 complete"]);
    expect(completion.diagnostics).toEqual([]);
  });

  test("a custom call at several indices is one call", () => {
    const { calls: out, completion } = assemble([
      calls({ index: 0, ...custom }, { index: 1, ...custom }),
      finish("tool_calls"),
    ]);

    expect(brief(out)).toEqual(["sql SELECT 1 complete"]);
    expect(completion.diagnostics).toMatchObject([{ code: "repeated-call", severity: "warning" }]);
  });

  test("arguments that have no JSON are malformed", () => {
    const delta = calls({ index: 0, id: "a", function: { name: "f", arguments: () => 1 } });

    expect(brief(assemble([delta, finish("tool_calls")]).calls)).toEqual(["f ? malformed"]);
  });
});

describe("json-value.ts", () => {
  test.each([
    ["undefined", undefined],
    ["a function", () => 1],
    ["a symbol", Symbol("x")],
    ["a BigInt", 1n],
  ])("jsonText of %s is not JSON", (_, value) => {
    expect(jsonText(value)).toBe("?");
  });
});

describe("response-reader.ts", () => {
  test("a limit that is exceeded behind the end of the response changes nothing", async () => {
    const call = calls(entry(0, "a", "f", '{"x":1}'));
    const body = sse(call, finish("tool_calls"), "[DONE]", "x".repeat(500));
    const { events, error } = await readEvents([body], { maxEventLength: 400 });

    expect(error).toBeUndefined();
    expect(events.map(({ type }) => type)).toEqual([
      "tool-call-start",
      "tool-call-delta",
      "tool-call",
      "finish",
    ]);
  });

  test("what the end of the body shows to be no event stream is raised", async () => {
    const excerpt = "<html>no event stream</html>";

    expect((await readEvents([excerpt])).error).toMatchObject({
      code: "not-an-event-stream",
      excerpt,
    });
  });
});
