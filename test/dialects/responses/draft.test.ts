import { describe, expect, test } from "vitest";
import { draftMessage } from "../../../src/dialects/drafts.ts";
import type { ToolCall } from "../../../src/index.ts";
import {
  added,
  called,
  completed,
  done,
  event,
  type Fields,
  fragment,
  message,
  read,
  written,
} from "./events.ts";

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
      [written],
    ],
    [
      "deltas that no item holds, of a response that was cut",
      [textDelta("Hi "), textDelta("there"), event("incomplete")],
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
    expect(asIs.reasoning).toBe("Think twice.Hm.");
    const content = [{ type: "reasoning_text", text: "Hm." }];
    expect(asIs.message).toEqual([{ ...item, summary, content }]);
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
    expect(draftMessage("responses").write([call])).toMatchObject([{ call_id: "i" }]);
  });

  test("a text of an item that is gone is not kept", () => {
    const delta = { type: "text", choice: 0, field: "7", path: "output_text 0" } as const;
    expect(draftMessage("responses").add({ ...delta, value: "Hi" })).toBe(0);
  });
});
