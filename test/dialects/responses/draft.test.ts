import { describe, expect, test } from "vitest";
import { readEvents, sse } from "../../bodies.ts";
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

const parts = (...texts: string[]): Fields =>
  message("", {
    content: texts.map((text) => ({ type: "output_text", text, annotations: [] })),
  });
const hosted = (id: string): Fields => ({ type: `${id}_call`, id });
const types = async (...events: Fields[]) =>
  (await read(...events)).message?.map(({ type }) => type.replace("_call", ""));
const reasoning = (id: string): Fields => ({ type: "reasoning", id, summary: [] });
const output = (id: string): Fields => ({
  type: "function_call_output",
  id,
  call_id: "call_a",
  output: "4",
});

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

  test("nobody has to be shown a text", () => {
    const draft = draftMessage("responses");
    const { id: _, ...value } = message("Hi there");
    draft.add({ type: "field", choice: 0, field: "0", value });
    draft.add({ type: "field", choice: 0, field: "whole", path: "completed", value: undefined });
    expect(draft.write([])).toEqual([written]);
  });

  test("a text of an item that is gone is not kept", () => {
    const delta = { type: "text", choice: 0, field: "7", path: "output_text 0" } as const;
    expect(draftMessage("responses").add({ ...delta, value: "Hi" })).toBe(0);
  });
});

describe("whole texts", () => {
  const place = { item_id: "msg_1", content_index: 0 };
  const start = added(message("", { content: [] }), 0);
  const whole = (text: string, fields: Fields = place): Fields =>
    event("output_text.done", { ...fields, text });

  test.each<[string, Fields[], string, string[]]>([
    [
      "what they have beyond the pieces",
      [start, textDelta("Hi "), whole("Hi you")],
      "Hi you",
      ["Hi you"],
    ],
    [
      "nothing, if they say nothing",
      [start, textDelta("Hi"), whole(""), done(parts(""))],
      "Hi",
      ["Hi"],
    ],
    [
      "nothing new, if they contradict the pieces",
      [start, textDelta("Helo"), whole("Hello")],
      "Helo",
      ["Hello"],
    ],
    [
      "pieces that come again behind them",
      [done(parts("Hi you")), textDelta("Hi "), textDelta("you")],
      "Hi you",
      ["Hi you"],
    ],
    [
      "pieces that go on behind them",
      [start, whole("Hi "), textDelta("you"), done(parts("Hi "))],
      "Hi you",
      ["Hi you"],
    ],
    [
      "pieces behind the end of an item, by its index alone",
      [done(parts("Hi "), 0), textDelta("you", { item_id: undefined, output_index: 0 })],
      "Hi you",
      ["Hi you"],
    ],
    [
      "a text in the start",
      [added(parts("Hi "), 0), textDelta("you"), done(parts("Hi you"))],
      "Hi you",
      ["Hi you"],
    ],
    [
      "several parts that came as one",
      [start, textDelta("Hi "), textDelta("you"), done(parts("Hi ", "you"))],
      "Hi you",
      ["Hi ", "you"],
    ],
    [
      "several parts that came as one, cut",
      [start, textDelta("Hi y"), done(parts("Hi ", "you"))],
      "Hi you",
      ["Hi ", "you"],
    ],
    [
      "several parts that came as one, each with its end",
      [
        start,
        textDelta("Hi "),
        whole("Hi "),
        textDelta("you"),
        whole("you"),
        whole("you"),
        done(parts("Hi ", "you")),
      ],
      "Hi you",
      ["Hi ", "you"],
    ],
    [
      "a part under another index",
      [start, textDelta("Hi", { content_index: 1 }), done(parts("Hi"))],
      "Hi",
      ["Hi"],
    ],
    [
      "a part that contradicts one under another index",
      [start, textDelta("Hi", { content_index: 1 }), done(parts("Ho"))],
      "Hi",
      ["Ho"],
    ],
  ])("show %s", async (_name, events, text, texts) => {
    const found = await read(...events, completed());
    expect(found.text).toBe(text);
    expect(found.message).toEqual([
      {
        ...written,
        content: texts.map((each) => ({ type: "output_text", text: each, annotations: [] })),
      },
    ]);
  });

  test("a refusal in its end alone", async () => {
    const end = event("refusal.done", { ...place, refusal: "No." });
    const { message: items, text } = await read(start, end, completed());
    expect(items).toEqual([{ ...written, content: [{ type: "refusal", refusal: "No." }] }]);
    expect(text).toBe("");
  });

  test("text of a reasoning item is reasoning, by whatever name", async () => {
    const found = await read(
      added({ type: "reasoning", id: "rs", status: "in_progress" }),
      textDelta("Hm.", { item_id: "rs" }),
      completed(),
    );
    expect(found.text).toBe("");
    expect(found.reasoning).toBe("Hm.");
    const content = [{ type: "reasoning_text", text: "Hm." }];
    expect(found.message).toEqual([{ type: "reasoning", id: "rs", summary: [], content }]);
  });
});

describe("the order", () => {
  test.each<[string, Fields[], string[]]>([
    [
      "is that of the whole response, if it has every item",
      [
        done(hosted("b"), 0),
        done(called("f", "f", "{}"), 1),
        completed(hosted("a"), called("f", "f", "{}"), hosted("b")),
      ],
      ["a", "function", "b"],
    ],
    [
      "is that of the indices, and an item that is only in the whole response fills the gap",
      [
        done(hosted("d"), 3),
        done(hosted("a"), 0),
        done(hosted("b"), 1),
        completed(hosted("b"), hosted("c")),
      ],
      ["a", "b", "c", "d"],
    ],
    [
      "is that of arrival without them",
      [done(hosted("b")), done(hosted("a")), completed()],
      ["b", "a"],
    ],
    [
      "has an item without one behind the item before it",
      [
        done(hosted("c"), 2),
        done({ ...hosted("d") }, undefined),
        done(hosted("a"), 0),
        completed(),
      ],
      ["a", "c", "d"],
    ],
    [
      "takes no index that is no number",
      [
        event("output_item.done", { output_index: "x", item: hosted("b") }),
        done(hosted("a"), 0),
        completed(),
      ],
      ["b", "a"],
    ],
  ])("%s", async (_name, events, order) => {
    expect(await types(...events)).toEqual(order);
  });

  test("an item with an id of its own in the whole response is not one that came", async () => {
    const { message: items } = await read(
      done(reasoning("b"), 1),
      completed(reasoning("a"), reasoning("b")),
    );
    expect(items).toEqual([reasoning("a"), reasoning("b")]);
  });
});

test("outputs of calls have the fresh ids of these, in order", async () => {
  const { message: items } = await read(
    done(called("a", "f", '{"a":1}')),
    done(output("o1")),
    done(called("a", "f", '{"a":2}', { id: "fc_b" })),
    done(output("o2")),
    completed(),
  );
  const ids = items?.map((item) => item["call_id"]);
  expect(ids?.[1]).toBe(ids?.[0]);
  expect(ids?.[3]).toBe(ids?.[2]);
  expect(ids?.[2]).not.toBe(ids?.[0]);
});

test("the response is told, with its last number also when the body is cut", async () => {
  const { completion } = await readEvents([
    sse(
      event("created", { response: { id: "r", model: "m", tools: [] }, sequence_number: 0 }),
      event("output_text.delta", { item_id: "a", delta: "Hi", sequence_number: 4 }),
    ),
  ]);
  expect(completion.response).toEqual({ id: "r", model: "m", sequence_number: 4 });
});

test("beyond maxMessageLength, a text that has been shown is not shown again", async () => {
  const text = "word ".repeat(50);
  const start = added(message("", { content: [] }));
  const body = sse(start, textDelta(text), done(message(text)), textDelta("more"), completed());
  const { events, completion } = await readEvents([body], { maxMessageLength: 200 });
  const shown = events.flatMap((each) => (each.type === "text" ? [each.text] : []));
  expect(shown).toEqual([text, "more"]);
  expect(completion.message).toBeUndefined();
});
