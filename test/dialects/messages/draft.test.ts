import { describe, expect, test } from "vitest";
import { draftMessage } from "../../../src/dialects/drafts.ts";
import { assemble, brief } from "../../chat-chunks.ts";
import {
  blockDelta,
  blockStart,
  blockStop,
  ending,
  input,
  messageStart,
  text,
  thinking,
  toolStart,
  whole,
} from "../../messages-events.ts";
import { messagesMessage } from "../../messages-message.ts";
import { toolCall } from "../tool-call.ts";

const call = toolCall({ dialect: "messages" });

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
        blockStart(0, { type: "text", text: "a", citations: [{ cited_text: "m" }] }),
        blockDelta(0, { type: "citations_delta", citation: { cited_text: "n" } }),
      ],
      [{ type: "text", text: "a", citations: [{ cited_text: "m" }, { cited_text: "n" }] }],
    ],
    [
      "no text block of nothing but white space, and thinking without text",
      [
        blockStart(0, { type: "text", text: "" }),
        blockStart(1, { type: "text", text: " " }),
        text(1, "\n\u00a0"),
        blockStart(2, { type: "text", text: null }),
        blockStart(3, { type: "text", citations: [] }),
        blockStart(4, { type: "thinking", thinking: "", signature: "c2ln" }),
        blockStart(5, { type: "text", text: " " }),
        text(5, "a"),
        blockStart(6, { type: "text", text: { value: "b" } }),
      ],
      [
        { type: "thinking", thinking: "", signature: "c2ln" },
        { type: "text", text: " a" },
        { type: "text", text: { value: "b" } },
      ],
    ],
    [
      "numbers in text and thinking as text",
      [
        blockStart(0, { type: "text", text: 1 }),
        text(0, 0),
        text(0, "%"),
        blockStart(1, { type: "thinking", thinking: "" }),
        thinking(1, 4.2),
      ],
      [
        { type: "text", text: "10%" },
        { type: "thinking", thinking: "4.2" },
      ],
    ],
    [
      "objects field by field, lists joined, and the last number",
      [
        blockStart(0, { type: "x", data: { text: "a", list: [1], deep: { a: 1 } } }),
        blockDelta(0, { type: "x_delta", data: { text: "a", list: [2], deep: { b: 2 }, n: 1 } }),
        blockDelta(0, { type: "x_delta", data: { text: null, list: [], deep: { a: 3 }, n: 2 } }),
        blockDelta(0, { type: "x_delta", data: {}, list: [1] }),
        blockDelta(0, { type: "x_delta", list: [1, [2]] }),
      ],
      [
        {
          type: "x",
          data: { text: "aa", list: [1, 2], deep: { a: 3, b: 2 }, n: 2 },
          list: [1, 1, [2]],
        },
      ],
    ],
    [
      "strings joined, but labels, and one string sent again and again",
      [
        blockStart(0, { type: "x", signature: "", name: "f" }),
        blockDelta(0, { type: "x_delta", signature: "c2ln", note: "a", name: "g", content: "a" }),
        blockDelta(0, { type: "x_delta", signature: "c2ln", note: "b", name: "g", content: "a" }),
        blockDelta(0, { type: "x_delta", content: ["b"] }),
        blockDelta(0, { type: "x_delta", content: "c" }),
      ],
      [
        {
          type: "x",
          signature: "c2ln",
          note: "ab",
          name: "g",
          content: [{ type: "text", text: "aa" }, "b", { type: "text", text: "c" }],
        },
      ],
    ],
    [
      "values of which the pieces are empty, and the last of different forms",
      [
        blockStart(0, { type: "x", a: null }),
        blockDelta(0, { type: "x_delta", a: {}, b: "b" }),
        blockDelta(0, { type: "x_delta", b: 1 }),
      ],
      [{ type: "x", a: {}, b: 1 }],
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

  test("names calls by their fresh ids wherever it has them, and no other tool", () => {
    const { completion } = assemble([
      blockStart(0, { type: "server_tool_use", id: "id_f", name: "run", input: { id: "id_f" } }),
      blockStart(1, { type: "run_result", tool_use_id: "id_f", content: { id: "other" } }),
      blockStart(2, { type: "x", id: "id_g", list: [{ call_id: "id_f", text: "id_f" }] }),
      toolStart(3, "f", { input: { id: "id_g" }, caller: { tool_id: "id_f", call_id: "id_g" } }),
      toolStart(4, "g"),
      ...ending,
    ]);
    const [f, g] = completion.toolCalls.map(({ id }) => id);
    expect(messagesMessage(completion)?.content).toEqual([
      { type: "server_tool_use", id: "id_f", name: "run", input: { id: "id_f" } },
      { type: "run_result", tool_use_id: "id_f", content: { id: "other" } },
      { type: "x", id: g, list: [{ call_id: f, text: "id_f" }] },
      {
        type: "tool_use",
        id: f,
        name: "f",
        input: { id: "id_g" },
        caller: { tool_id: "id_f", call_id: g },
      },
      { type: "tool_use", id: g, name: "g", input: {} },
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
    ["input of a server tool", () => input(0, "1")],
  ])("is given up where there is no end of %s", (_name, eventOf) => {
    const blocks = [blockStart(0, { type: "server_tool_use", id: "s", name: "f", input: {} })];
    for (let count = 1; count < 200; count += 1) blocks.push(eventOf(count));
    const { completion } = assemble([...blocks, ...ending], { maxMessageLength: 150 });
    expect(completion.message).toBeUndefined();
  });
});
