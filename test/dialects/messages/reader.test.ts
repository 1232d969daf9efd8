import { describe, expect, test } from "vitest";
import { messagesMessage as messages } from "../../../src/dialects/messages/message-reader.ts";
import type { JsonObject } from "../../../src/index.ts";
import { sse, readEvents } from "../../bodies.ts";
import { assemble, brief } from "../../chat-chunks.ts";
import {
  blockStart,
  blockStop,
  ending,
  input,
  messageStart,
  messageStop,
  stopReason,
  text,
  thinking,
  toolStart,
  whole,
} from "../../messages-events.ts";

const ofType = (type: string, rest: object = {}): JsonObject => ({ type, ...rest });

test.each<[JsonObject, string | undefined, boolean]>([
  [ofType("message_start"), undefined, true],
  [ofType("content_block_delta"), "message", true],
  [{ index: 0 }, "content_block_stop", true],
  [ofType("message", { content: [] }), undefined, true],
  [ofType("message"), undefined, false],
  [{ content: [] }, "message", false],
  [ofType("ping"), "ping", false],
  [ofType("error", { error: { type: "overloaded_error" } }), "error", false],
  [ofType("response.created"), "message_start", false],
  [{ choices: [] }, undefined, false],
])("messages.matches(%j) of an event named %s is %s", (payload, name, isMessages) => {
  expect(messages.matches(payload, name)).toBe(isMessages);
});

test.each([
  ["end_turn", true],
  ["tool_use", true],
  ["stop_sequence", true],
  ["pause_turn", true],
  ["max_tokens", false],
  ["MAX-TOKENS", false],
  ["model_context_window_exceeded", false],
  ["refusal", false],
  ["length", false],
])("messages.isNormalReason(%j) is %s", (reason, isNormal) => {
  expect(messages.isNormalReason(reason)).toBe(isNormal);
});

/** Calls, and what else was said of them: the codes of diagnostics of severity `error`, and of the error. */
function readingOf(events: readonly object[]): string[] {
  const { calls, completion, error } = assemble([messageStart(), ...events]);
  const errors = completion.diagnostics.filter(({ severity }) => severity === "error");
  const raised = (error as { code?: string } | undefined)?.code;
  return [
    ...brief(calls.sort((a, b) => a.index - b.index)),
    ...errors.map(({ code }) => code),
    ...(raised === undefined ? [] : [raised]),
  ];
}

describe("which call a fragment belongs to", () => {
  test.each<[string, object[], string[]]>([
    [
      "the block that holds the index",
      [toolStart(1, "f"), toolStart(2, "g"), input(1, "[1"), input(2, "[2"), input(1, "]")],
      ["f [1] complete", "g [2 truncated"],
    ],
    ["a block that has stopped", [...whole(0, "f", "["), input(0, "1]")], ["f [1] complete"]],
    [
      "the latest block of an index",
      [...whole(0, "f", "[1]"), ...whole(0, "f", "[2]"), input(0, " ")],
      ["f [1] complete", "f [2] complete"],
    ],
    [
      "the latest block of all, without index",
      [toolStart(undefined, "f"), input(null, "[1"), input(undefined, "]"), blockStop(undefined)],
      ["f [1] complete"],
    ],
    [
      "an index as text",
      [toolStart("a", "f"), input("a", "[1"), toolStart("b", "g"), input("a", "]")],
      ["f [1] complete", "g {} complete"],
    ],
    [
      "the latest block of all indices that are too long to be remembered",
      [...whole("a".repeat(99), "f", "[1]"), ...whole("b".repeat(99), "g", "[2]")],
      ["f [1] complete", "g [2] complete"],
    ],
    [
      "the only tool without input that can be reached",
      [
        blockStart(undefined, { type: "server_tool_use", id: "s", name: "search", input: {} }),
        toolStart(0, "f"),
        input(1, "[1]"),
      ],
      ["f [1] complete"],
    ],
    [
      "the only tool without input, under an index that no block holds",
      [...whole(0, "f", "[1]"), toolStart(1, "g"), input(2, "[2"), input(2, "]"), blockStop(2)],
      ["f [1] complete", "g [2] complete"],
    ],
    [
      "the only tool without input, under the index of text",
      [
        toolStart(1, "f"),
        blockStart(0, { type: "text", text: "" }),
        text(0, "a"),
        input(0, "[1"),
        input(0, "]"),
      ],
      ["f [1] complete"],
    ],
    [
      "no tool, where two are without input: neither is {} then",
      [toolStart(0, "f"), toolStart(1, "g"), input(2, "[1"), input(2, "]")],
      ["f  damaged", "g  damaged", "lost-fragment"],
    ],
    [
      "no tool, where none is without input",
      [...whole(0, "f", "[1]"), input(1, "[2]")],
      ["f [1] complete", "lost-fragment"],
    ],
    ["no tool, where nothing is lost", [input(0, ""), input(0, null), blockStop(0)], []],
    [
      "a tool that the server runs",
      [
        toolStart(0, "f"),
        blockStart(1, { type: "server_tool_use", id: "s", name: "search", input: {} }),
        input(1, "[1]"),
        input(0, "[2]"),
      ],
      ["f [2] complete"],
    ],
    [
      "a block of a type that no one knows",
      [toolStart(0, "f"), blockStart(1, { type: "x" }), input(1, "[1]")],
      ["f {} complete"],
    ],
    [
      "no tool, where one that the server runs waits as well",
      [
        toolStart(0, "f"),
        blockStart(1, { type: "mcp_tool_use", id: "s", name: "search", input: {} }),
        input(2, "[1]"),
      ],
      ["f  damaged", "lost-fragment"],
    ],
    [
      "the only tool without input, not the result of one that the server ran",
      [
        toolStart(0, "f"),
        blockStart(1, { type: "web_search_tool_result", tool_use_id: "s", content: [] }),
        input(1, "[1]"),
      ],
      ["f [1] complete"],
    ],
    [
      "a tool that no longer has the index, where the type of the next is missing",
      [toolStart(0, "f"), input(0, "[1"), blockStart(0, { name: "g" }), input(0, "]")],
      ["f [1 truncated", "lost-fragment"],
    ],
  ])("%s", (_name, events, reading) => {
    expect(readingOf([...events, ...ending])).toEqual(reading);
  });

  test.each<[string, object[], string[]]>([
    [
      "another call",
      [toolStart(0, "f"), toolStart(0, "g"), input(0, "[1]")],
      ["f  damaged", "g [1] damaged", "repeated-index"],
    ],
    [
      "text",
      [toolStart(0, "f"), blockStart(0, { type: "text", text: "" })],
      ["f  damaged", "repeated-index"],
    ],
    [
      "a call, behind a tool that the server runs",
      [
        blockStart(0, { type: "server_tool_use", id: "s", name: "search", input: {} }),
        toolStart(0, "f"),
        input(0, "[1]"),
      ],
      ["f [1] damaged", "repeated-index"],
    ],
    [
      "another call, the first having stopped",
      [toolStart(0, "f"), blockStop(0), ...whole(0, "g", "[1]")],
      ["f {} complete", "g [1] complete"],
    ],
    [
      "another call, the first having begun with its input",
      [toolStart(0, "f", { input: { a: 1 } }), toolStart(0, "g", { input: { b: 1 } })],
      ['f {"a":1} complete', 'g {"b":1} complete'],
    ],
    [
      "another call, where indices are too long to tell them apart",
      [toolStart("a".repeat(99), "f"), toolStart("b".repeat(99), "g")],
      ["f  damaged", "g  damaged", "repeated-index"],
    ],
    [
      "a block without type",
      [toolStart(0, "f"), blockStart(0, {}), input(0, "[1]")],
      ["f [1] damaged", "repeated-index"],
    ],
    [
      "text, behind a tool that the server runs",
      [
        blockStart(0, { type: "server_tool_use", id: "s", name: "search", input: {} }),
        blockStart(0, { type: "text", text: "" }),
      ],
      [],
    ],
    [
      "another call, behind a block without input",
      [blockStart(0, { type: "compaction", content: null }), ...whole(0, "f", "[1]")],
      ["f [1] complete"],
    ],
  ])("an index at which a tool without input is open is taken by %s", (_name, events, reading) => {
    expect(readingOf([...events, ...ending])).toEqual(reading);
  });

  test("blocks without end are forgotten, the oldest first", () => {
    const blocks = Array.from({ length: 5000 }, (_block, index) =>
      blockStart(index, { type: "server_tool_use", id: "s", name: "search", input: {} }),
    );
    const late = [toolStart("f", "f"), input("g", "[1]"), input(0, "[2]"), input(4999, "[3]")];
    // Of the tools that wait, only those that can be reached make it unclear whose a fragment is.
    expect(readingOf([...blocks, ...late, ...ending])).toEqual(["f  damaged", "lost-fragment"]);
    const texts = Array.from({ length: 5000 }, (_block, index) =>
      blockStart(index + 10, { type: "text", text: "" }),
    );
    expect(readingOf([...blocks.slice(0, 10), ...texts, ...late.slice(0, 2), ...ending])).toEqual([
      "f [1] complete",
    ]);
  });
});

const start = (rest: object): object => toolStart(0, "f", rest);

describe("the input in the start of a call", () => {
  test.each<[string, object[], string[]]>([
    ["counts at its stop", [start({ input: { a: 1 } }), blockStop(0)], ['f {"a":1} complete']],
    ["counts at the end", [start({ input: { a: 1 } })], ['f {"a":1} complete']],
    ["may be text", [start({ input: '{"a": 1}' }), blockStop(0)], ['f {"a": 1} complete']],
    ["may be text that is no JSON", [start({ input: "ls" })], ["f ls malformed"]],
    ["says nothing where it is empty", [start({ input: {} })], ["f {} complete"]],
    ["says nothing where it is empty text", [start({ input: "" })], ["f {} complete"]],
    ["says nothing where it is neither", [start({ input: 5 })], ["f {} complete"]],
    ["says nothing where it is missing", [start({ input: undefined })], ["f {} complete"]],
    [
      "gives way to what comes in pieces",
      [start({ input: { a: 1 } }), input(0, '{"a'), input(0, '":2}'), blockStop(0)],
      ['f {"a":2} complete'],
    ],
    [
      "gives way to pieces of which the rest comes behind the stop",
      [start({ input: { a: 1 } }), input(0, '{"a'), blockStop(0), input(0, '":2}')],
      ['f {"a":2} complete'],
    ],
    [
      "does not give way to a placeholder",
      [start({ input: { a: 1 } }), input(0, ""), input(0, "{"), input(0, " }"), blockStop(0)],
      ['f {"a":1} complete'],
    ],
    [
      "is the same as what comes behind its stop",
      [start({ input: { a: 1 } }), blockStop(0), input(0, '{"a": 1}')],
      ['f {"a":1} complete'],
    ],
    [
      "is not what comes behind its stop",
      [start({ input: { a: 1 } }), blockStop(0), input(0, '{"a":2}')],
      ['f {"a":1} complete', "late-text"],
    ],
  ])("%s", (_name, events, reading) => {
    expect(readingOf([...events, ...ending])).toEqual(reading);
  });

  test("counts where a reason came, or [DONE], and not where the body was cut", async () => {
    const prefilled = start({ input: { a: 1 } });
    expect(readingOf([prefilled, stopReason("max_tokens")])).toEqual(['f {"a":1} complete']);
    expect(readingOf([prefilled])).toEqual(["f  truncated", "truncated-response"]);
    const { completion } = await readEvents([sse(prefilled, "[DONE]")]);
    expect(brief(completion.toolCalls)).toEqual(['f {"a":1} complete']);
  });
});

describe("the end", () => {
  const held = toolStart(0, "f");

  test.each<[string, object[], string[]]>([
    ["a stop", [held, blockStop(0), messageStop], ["f {} complete"]],
    ["a reason that is null, and a stop", [held, stopReason(null), messageStop], ["f {} complete"]],
    ["a reason alone", [held, stopReason("end_turn")], ["f {} complete"]],
    ["a reason that says the message was cut", [held, stopReason("refusal")], ["f  truncated"]],
    ["nothing", [held, blockStop(0)], ["f  truncated", "truncated-response"]],
    ["an error", [held, { type: "error", error: {} }], ["f  truncated", "provider-error"]],
    ["what follows a stop", [held, messageStop, input(0, "[1]")], ["f {} complete"]],
    [
      "the start of another message",
      [...whole(0, "f", "[1]"), toolStart(1, "g"), messageStart({ id: "msg_2" }), ...ending],
      ["f [1] complete", "g  truncated", "truncated-response"],
    ],
    [
      "the start of another message, where one of the first starts had no id",
      [messageStart({ id: null }), held, messageStart({ id: "msg_2" }), messageStop],
      ["f  truncated", "truncated-response"],
    ],
    [
      "the start of the same message, or of one without id",
      [held, messageStart(), messageStart({ id: null }), messageStop],
      ["f {} complete"],
    ],
    [
      "the start of another message that nothing came before",
      [messageStart({ id: "msg_2" }), held, messageStart({ id: "msg_2" }), messageStop],
      ["f {} complete"],
    ],
  ])("%s", (_name, events, reading) => {
    expect(readingOf(events)).toEqual(reading);
  });

  test("the first reason is that of the completion, each of them an event", () => {
    const { completion, events } = assemble([
      messageStart({ stop_reason: "end_turn" }),
      stopReason("tool_use"),
      stopReason("max_tokens"),
    ]);
    expect(completion.finishReason).toBe("tool_use");
    expect(events.filter(({ type }) => type === "finish")).toEqual([
      { type: "finish", choice: 0, reason: "tool_use" },
      { type: "finish", choice: 0, reason: "max_tokens" },
    ]);
  });

  test("the reason in the start of a message counts where nothing follows", () => {
    const refusal = messageStart({ stop_reason: "refusal" });
    expect(assemble([refusal, messageStop]).completion.finishReason).toBe("refusal");
    expect(assemble([refusal]).error).toBeUndefined();
    const { completion, error } = assemble([refusal, toolStart(0, "f")]);
    expect(completion.finishReason).toBeNull();
    expect(error).toMatchObject({ code: "truncated-response" });
  });

  test("the last usage has what only the start of the message said", () => {
    const { completion } = assemble([
      messageStart({ usage: { input_tokens: 9, output_tokens: 1, cache_creation: null } }),
      stopReason(null, { usage: { output_tokens: 10, thinking_tokens: 3 } }),
      stopReason("end_turn", { usage: { output_tokens: 20, input_tokens: null } }),
    ]);
    expect(completion.usage).toEqual({ input_tokens: 9, output_tokens: 20, cache_creation: null });

    const fields = Array.from({ length: 1000 }, (_field, count) => [`field${count}`, count]);
    const { usage } = assemble([
      messageStart({ usage: Object.fromEntries(fields) }),
      stopReason("end_turn", { usage: { output_tokens: 20 } }),
    ]).completion;
    expect(usage).toMatchObject({ field0: 0, output_tokens: 20 });
    expect(usage).not.toHaveProperty("field999");
  });
});

const said = (events: readonly object[]): unknown => assemble([...events]).completion.response;

describe("what the server says of the response", () => {
  test("is in the start of the message, and in what changes it", () => {
    expect(
      said([
        messageStart({ model: "m", service_tier: "standard", container: null, x: 1 }),
        stopReason(null, { context_management: { applied_edits: [] }, model: "n", usage: {} }),
        {
          type: "message_delta",
          delta: {
            stop_reason: "refusal",
            stop_sequence: "END",
            stop_details: { type: "refusal" },
            container: { id: "container_1" },
          },
        },
        stopReason("end_turn", { id: "" }),
      ]),
    ).toEqual({
      id: "msg_1",
      model: "n",
      service_tier: "standard",
      context_management: { applied_edits: [] },
      stop_sequence: "END",
      stop_details: { type: "refusal" },
      container: { id: "container_1" },
    });
  });

  test("is in a message without streaming", async () => {
    const body = { id: "msg_1", type: "message", model: "m", content: [], stop_sequence: "END" };
    const { completion } = await readEvents([JSON.stringify(body)]);
    expect(completion.response).toEqual({ id: "msg_1", model: "m", stop_sequence: "END" });
  });

  test("is not that of a second try", () => {
    const second = messageStart({ id: "msg_2", model: "n" });
    expect(said([messageStart(), ...whole(0, "f", "[1]"), second])).toEqual({ id: "msg_1" });
  });
});

test("text and thinking are events, those in the start of a block as well", () => {
  const { events } = assemble([
    messageStart({ content: [{ type: "text", text: "a" }] }),
    blockStart(0, { type: "thinking", thinking: "b" }),
    thinking(0, "c"),
    text(7, "d"),
    text(7, 5),
    ...ending,
  ]);
  expect(events.slice(0, -1)).toEqual([
    { type: "text", text: "a", choice: 0 },
    { type: "reasoning", text: "b", choice: 0 },
    { type: "reasoning", text: "c", choice: 0 },
    { type: "text", text: "d", choice: 0 },
    { type: "text", text: "5", choice: 0 },
  ]);
});

test("a call has its fields from the start of its block", () => {
  const [found] = assemble([
    toolStart(3, " f ", { id: "f:0", caller: { type: "direct" } }),
    input(3, { a: 1 }),
    ...ending,
  ]).calls;
  expect(found).toEqual({
    id: expect.any(String),
    providerId: "f:0",
    type: "function",
    name: "f",
    arguments: '{"a":1}',
    status: "complete",
    input: { a: 1 },
    error: undefined,
    choice: 0,
    index: 0,
    dialect: "messages",
    extra: { caller: { type: "direct" } },
  });
});

describe("a message without streaming", () => {
  const body = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    content: [
      { type: "text", text: "Hi" },
      { type: "tool_use", id: "a", name: "f", input: { x: 1 } },
      { type: "tool_use", id: "b", name: "g", input: {} },
      null,
      { type: "tool_use", id: "a", name: "f", input: { x: 1 } },
    ],
    stop_reason: "tool_use",
    usage: { input_tokens: 1, output_tokens: 2 },
  };
  const blocks = [
    { type: "text", text: "Hi" },
    { type: "tool_use", id: "a", name: "f", input: { x: 1 } },
    { type: "tool_use", id: "b", name: "g", input: {} },
  ];

  test.each<[string, string]>([
    ["as a body", JSON.stringify(body, null, 1)],
    ["as a body without a reason", JSON.stringify({ ...body, stop_reason: null })],
    ["as an event", sse(body)],
    ["behind its start", sse(messageStart(), body)],
    ["once more, behind events", sse(messageStart({ content: body.content }), body)],
  ])("is read %s", async (_name, chunk) => {
    const { completion, error } = await readEvents([chunk], {
      generateId: (
        (ids) => () =>
          `${ids.shift()}`
      )(["a", "b", "copy"]),
    });
    expect(error).toBeUndefined();
    expect(brief(completion.toolCalls)).toEqual(['f {"x":1} complete', "g {} complete"]);
    expect(completion).toMatchObject({
      dialect: "messages",
      message: { role: "assistant", content: blocks },
      usage: body.usage,
    });
  });

  test.each<[string, object, object]>([
    [
      "in its envelope",
      { type: "error", error: { type: "overloaded_error", message: "m" }, request_id: "r" },
      { type: "overloaded_error", message: "m" },
    ],
    ["bare", { error: { type: "api_error", message: "m" } }, { type: "api_error", message: "m" }],
  ])("may be an error, %s", async (_name, value, provider) => {
    const { completion, error } = await readEvents([JSON.stringify(value)]);
    expect(error).toMatchObject({ code: "provider-error", provider });
    expect(completion.dialect).toBeUndefined();
  });
});
