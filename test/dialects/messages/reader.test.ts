import { describe, expect, test } from "vitest";
import { messages } from "../../../src/dialects/messages/reader.ts";
import { draftMessage } from "../../../src/dialects/drafts.ts";
import { messagesHistory } from "../../../src/dialects/messages/history.ts";
import { writeMessagesResult } from "../../../src/dialects/messages/result.ts";
import type { JsonObject, ToolCall } from "../../../src/index.ts";
import { sse, readEvents } from "../../bodies.ts";
import { assemble, brief } from "../../chat-chunks.ts";
import {
  blockDelta,
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
} from "../../messages-events.ts";
import { messagesMessage } from "../../messages-message.ts";

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

const whole = (index: unknown, name: string, fragment: string): object[] => [
  toolStart(index, name),
  input(index, fragment),
  blockStop(index),
];

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

/** The blocks of the message that these events add up to, calls with their provider's ids. */
function blocksOf(events: readonly object[]): unknown {
  const { completion } = assemble([...events]);
  const provided = new Map(completion.toolCalls.map(({ id, providerId }) => [id, providerId]));
  return messagesMessage(completion)?.content.map((block) =>
    block.type === "tool_use"
      ? Object.assign({}, block, { id: provided.get(`${block["id"]}`) })
      : block,
  );
}

describe("the message", () => {
  test("has every block in its place, as the server would have sent it without streaming", () => {
    expect(
      blocksOf([
        messageStart(),
        blockStart(0, { type: "thinking", thinking: "", signature: "" }),
        thinking(0, "Look "),
        thinking(0, "it up."),
        blockDelta(0, { type: "signature_delta", signature: "c2ln" }),
        blockDelta(0, { type: "signature_delta", signature: "bmVk" }),
        blockStop(0),
        blockStart(1, { type: "redacted_thinking", data: "b3BhcXVl" }),
        blockStart(2, { type: "thinking", thinking: "", signature: "" }),
        toolStart(3, "f", { caller: { type: "direct" }, cache_control: null }),
        input(3, '{"a": 1}'),
        blockStart(4, { type: "text", text: "The ", citations: null }),
        text(4, "note"),
        blockDelta(4, { type: "citations_delta", citation: { cited_text: "n" } }),
        blockDelta(4, { type: "citations_delta", citation: { cited_text: "m" } }),
        text(4, "."),
        blockStart(5, { type: "server_tool_use", id: "srvtoolu_1", name: "search", input: {} }),
        input(5, '{"query":'),
        input(5, '"x"}'),
        blockStart(6, { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [1] }),
        blockStart(7, { type: "compaction", content: null }),
        blockDelta(7, { type: "compaction_delta", content: "sh", level: 1 }),
        blockDelta(7, { type: "compaction_delta", content: "ort", level: 2, other: "" }),
        toolStart(8, "g"),
        ...ending,
      ]),
    ).toEqual([
      { type: "thinking", thinking: "Look it up.", signature: "c2lnbmVk" },
      { type: "redacted_thinking", data: "b3BhcXVl" },
      { type: "thinking", thinking: "", signature: "" },
      { type: "tool_use", id: "id_f", name: "f", input: { a: 1 }, caller: { type: "direct" } },
      {
        type: "text",
        text: "The note.",
        citations: [{ cited_text: "n" }, { cited_text: "m" }],
      },
      { type: "server_tool_use", id: "srvtoolu_1", name: "search", input: { query: "x" } },
      { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [1] },
      { type: "compaction", content: "short", level: 2 },
      { type: "tool_use", id: "id_g", name: "g", input: {} },
    ]);
  });

  test.each<[string, object[], object[]]>([
    [
      "citations behind those of the start",
      [
        blockStart(0, { type: "text", text: "", citations: [{ cited_text: "m" }] }),
        blockDelta(0, { type: "citations_delta", citation: { cited_text: "n" } }),
      ],
      [{ type: "text", text: "", citations: [{ cited_text: "m" }, { cited_text: "n" }] }],
    ],
    [
      "input of which only a delta of a type that no one knows has told",
      [
        blockStart(0, { type: "x" }),
        blockDelta(0, { type: "x_delta", partial_json: Symbol("s") }),
        blockStart(1, { type: "x" }),
        blockDelta(1, { type: "x_delta", partial_json: [1] }),
      ],
      [
        { type: "x", input: undefined },
        { type: "x", input: [1] },
      ],
    ],
    [
      "what deltas bring behind what stood in the start",
      [
        blockStart(0, { type: "compaction", content: "sh" }),
        blockDelta(0, { type: "compaction_delta", content: "ort" }),
      ],
      [{ type: "compaction", content: "short" }],
    ],
    [
      "the start of a server tool's input where the rest was cut",
      [
        blockStart(0, { type: "server_tool_use", id: "s", name: "search", input: {} }),
        input(0, '{"query":'),
      ],
      [{ type: "server_tool_use", id: "s", name: "search", input: {} }],
    ],
    [
      "text under the index of a tool in a block of its own",
      [toolStart(0, "f"), text(0, "a"), input(0, "[1]"), text(0, "b"), text(0, "")],
      [
        { type: "tool_use", id: "id_f", name: "f", input: [1] },
        { type: "text", text: "ab" },
      ],
    ],
    [
      "text under an index that no block holds",
      [
        text(9, null),
        text(4, "a"),
        thinking(5, "b"),
        text(4, "c"),
        text(undefined, "d"),
        text(undefined, "e"),
      ],
      [
        { type: "text", text: "ac" },
        { type: "thinking", thinking: "b" },
        { type: "text", text: "de" },
      ],
    ],
    [
      "no signature but of thinking, and nothing for a block that is not there",
      [
        text(0, "a"),
        blockDelta(0, { type: "signature_delta", signature: "s" }),
        blockDelta(1, { type: "signature_delta", signature: "s" }),
        toolStart(2, "f"),
        blockDelta(2, { type: "note_delta", note: "n" }),
      ],
      [
        { type: "text", text: "a" },
        { type: "tool_use", id: "id_f", name: "f", input: {} },
      ],
    ],
    [
      "calls that are incomplete or nameless",
      [toolStart(0, "f"), input(0, '{"a":'), toolStart(1, ""), input(1, "[1]")],
      [
        { type: "tool_use", id: "id_f", name: "f", input: {} },
        { type: "tool_use", id: "id_", name: "unnamed_tool", input: {} },
      ],
    ],
    [
      "calls in their places, whichever came out first, without copies",
      [
        toolStart(0, "f"),
        ...whole(1, "g", '{"a":1}'),
        ...whole(2, "g", '{"a":1}'),
        text(3, "a"),
        ...whole(4, "h", '{"b":1}'),
      ],
      [
        { type: "tool_use", id: "id_f", name: "f", input: {} },
        { type: "tool_use", id: "id_g", name: "g", input: { a: 1 } },
        { type: "text", text: "a" },
        { type: "tool_use", id: "id_h", name: "h", input: { b: 1 } },
      ],
    ],
  ])("has %s", (_name, events, blocks) => {
    expect(blocksOf([...events, ...ending])).toEqual(blocks);
  });

  test("has what parseArguments was given, not what it made of it, where that is JSON", () => {
    const { completion } = assemble(
      [...whole(0, "f", '{"a":1}'), ...whole(1, "g", "{'a':1}"), ...ending],
      { parseArguments: (source) => ({ source }) },
    );
    expect(completion.toolCalls).toMatchObject([{ status: "complete" }, { status: "complete" }]);
    expect(messagesMessage(completion)?.content).toMatchObject([
      { input: { a: 1 } },
      { input: {} },
    ]);
  });

  test("has calls without a place at its end", () => {
    const message = draftMessage("messages").write([{ ...call, index: 1 }, call]);
    expect(message).toEqual({
      role: "assistant",
      content: [
        { type: "tool_use", id: "call_1", name: "f", input: { x: 1 } },
        { type: "tool_use", id: "call_1", name: "f", input: { x: 1 } },
      ],
    });
  });

  test("is given up beyond its limit, where texts and calls go on", () => {
    const long = "word ".repeat(20);
    const { calls, completion, events } = assemble(
      [
        messageStart(),
        blockStart(0, { type: "text", text: "" }),
        text(0, long),
        text(0, "more"),
        blockDelta(0, { type: "citations_delta", citation: {} }),
        ...whole(1, "f", "[1]"),
        ...ending,
      ],
      { maxMessageLength: 50 },
    );
    expect(completion.message).toBeUndefined();
    expect(completion.diagnostics.map(({ code }) => code)).toEqual(["message-too-long"]);
    expect(events.flatMap((event) => (event.type === "text" ? [event.text] : []))).toEqual([
      long,
      "more",
    ]);
    expect(brief(calls)).toEqual(["f [1] complete"]);
  });

  test.each<[string, (count: number) => object]>([
    ["blocks", (count) => blockStart(count, { type: "x" })],
    ["citations", () => blockDelta(0, { type: "citations_delta", citation: {} })],
    ["fields", (count) => blockDelta(0, { type: "x_delta", [`field${count}`]: false })],
    ["a field", (count) => blockDelta(0, { type: "x_delta", field: count })],
    ["input of a server tool", () => input(0, "1")],
  ])("is given up where there is no end of %s", (_name, eventOf) => {
    const blocks = [blockStart(0, { type: "server_tool_use", id: "s", name: "f", input: {} })];
    for (let count = 1; count < 200; count += 1) blocks.push(eventOf(count));
    const { completion } = assemble([...blocks, ...ending], { maxMessageLength: 150 });
    expect(completion.message).toBeUndefined();
  });
});

test("text and thinking are events, those in the start of a block as well", () => {
  const { events } = assemble([
    messageStart({ content: [{ type: "text", text: "a" }] }),
    blockStart(0, { type: "thinking", thinking: "b" }),
    thinking(0, "c"),
    text(7, "d"),
    ...ending,
  ]);
  expect(events.slice(0, -1)).toEqual([
    { type: "text", text: "a", choice: 0 },
    { type: "reasoning", text: "b", choice: 0 },
    { type: "reasoning", text: "c", choice: 0 },
    { type: "text", text: "d", choice: 0 },
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

const call: ToolCall = {
  id: "call_1",
  providerId: "f:0",
  type: "function",
  name: "f",
  arguments: '{"x":1}',
  status: "complete",
  input: { x: 1 },
  error: undefined,
  choice: 0,
  index: 0,
  dialect: "messages",
  extra: undefined,
};

test("messages.writeResult says of a call that was not executed that it is an error", () => {
  const result = { type: "tool_result", tool_use_id: "call_1", content: "c" };
  expect(writeMessagesResult(call, "c")).toEqual(result);
  const error = { code: "truncated", message: "" } as const;
  expect(
    writeMessagesResult({ ...call, status: "incomplete", input: undefined, error }, "c"),
  ).toEqual({ ...result, is_error: true });
});

const history = {
  role: "user",
  content: [
    { type: "tool_result", tool_use_id: "a", content: "c" },
    { type: "text", text: "t" },
    { type: "tool_use", id: "b", name: "f", input: {}, caller: { tool_id: "s" } },
    { type: "server_tool_use", id: "s", name: "search", input: {} },
    { type: "web_search_tool_result", tool_use_id: "s", content: [] },
    "text",
    { type: "tool_use" },
  ],
};

test("messages.readReferences gives calls and results, not those of server tools", () => {
  const [result, , use, , , , unnamed] = history.content;
  expect(messagesHistory.readReferences(history)).toEqual([
    { type: "result", id: "a", name: undefined, holder: result, field: "tool_use_id" },
    { type: "call", id: "b", name: "f", holder: use, field: "id" },
    { type: "call", id: "", name: undefined, holder: unnamed, field: "id" },
  ]);
  expect(messagesHistory.readReferences({ role: "user", content: "text" })).toEqual([]);
});

test("messages.writeIds changes nothing but ids", () => {
  const before = structuredClone(history);
  const written = messagesHistory.writeIds(history, ["x", "y", "z"]);
  const [result, note, use, ...others] = history.content;
  expect(written).toEqual({
    role: "user",
    content: [
      Object.assign({}, result, { tool_use_id: "x" }),
      note,
      Object.assign({}, use, { id: "y" }),
      ...others.slice(0, -1),
      { type: "tool_use", id: "z" },
    ],
  });
  expect(history).toEqual(before);
});
