import { expect, test } from "vitest";
import { chatMessage as chat } from "../../../src/dialects/chat/message-reader.ts";
import { draftMessage } from "../../../src/dialects/drafts.ts";
import type { ToolCall } from "../../../src/index.ts";
import { calls, chunk } from "../../chat-chunks.ts";
import { toolCall as call } from "../tool-call.ts";

/** The message that deltas add up to, and how long it is. */
function draft(payloads: readonly object[], ofCalls: readonly ToolCall[] = []) {
  const message = draftMessage("chat");
  const reader = chat.openReader();
  let length = 0;
  for (const delta of payloads.flatMap((payload) => reader.read({ ...payload }, undefined))) {
    if ("field" in delta) length += message.add(delta) ?? 0;
  }
  return { message: message.write(ofCalls), length };
}

test("The message takes calls as servers take them back", () => {
  const error = { code: "truncated", message: "" } as const;
  const { message } = draft(
    [chunk({ reasoning_content: "r" }), chunk({ content: "c" })],
    [
      call({ extra: { extra_content: { s: 1 }, function: { strict: true } } }),
      call({ id: "call_2", status: "incomplete", arguments: '{"x":', input: undefined, error }),
      call({ id: "call_3", status: "incomplete", name: "", input: undefined, error }),
      call({ id: "call_4", type: "custom", arguments: "1 +", input: "1 +" }),
    ],
  );
  expect(message).toEqual({
    role: "assistant",
    content: "c",
    reasoning_content: "r",
    tool_calls: [
      {
        extra_content: { s: 1 },
        id: "call_1",
        type: "function",
        function: { strict: true, name: "f", arguments: '{"x":1}' },
      },
      { id: "call_2", type: "function", function: { name: "f", arguments: "{}" } },
      { id: "call_3", type: "function", function: { name: "unnamed_tool", arguments: "{}" } },
      { id: "call_4", type: "custom", custom: { name: "f", input: "1 +" } },
    ],
  });
});

const wholeMessage = (message: object): object => ({ choices: [{ index: 0, message }] });

test.each<[string, object[], object]>([
  ["no calls for an empty list", [chunk({ tool_calls: [] })], { content: null }],
  ["null for content that is empty", [chunk({ content: "" })], { content: null }],
  ["no refusal for an empty one", [chunk({ content: "a", refusal: "" })], { content: "a" }],
  [
    "texts in pieces",
    [
      chunk({ content: "a", reasoning: "r", reasoning_content: "r", refusal: "n" }),
      chunk({ content: "b", reasoning: "s", reasoning_content: "s", refusal: "o" }),
    ],
    { content: "ab", reasoning: "rs", reasoning_content: "rs", refusal: "no" },
  ],
  [
    "unknown fields, joined",
    [chunk({ x: { a: 1 } }), chunk({ x: "long" }), chunk({ x: null, y: [] })],
    { content: null, x: { a: 1, text: "long" } },
  ],
  [
    "audio, its data and transcript in pieces",
    [
      chunk({ audio: { id: "a", transcript: "t" } }),
      chunk({ audio: { data: "QU", transcript: "u" } }),
      chunk({ audio: { data: "JD", expires_at: 5, id: null } }),
    ],
    { content: null, audio: { id: "a", data: "QUJD", transcript: "tu", expires_at: 5 } },
  ],
  [
    "reasoning_details by index and type",
    [
      chunk({ reasoning_details: [{ type: "reasoning.text", text: "a", index: 0 }, "b"] }),
      chunk({
        reasoning_details: [
          { type: "reasoning.text", text: "c", signature: "s", index: 0 },
          { type: "reasoning.encrypted", data: "d", index: 0 },
        ],
      }),
      chunk({ reasoning_details: [{ type: "reasoning.summary", summary: "e", index: 1 }] }),
      chunk({ reasoning_details: [{ type: "reasoning.summary", summary: "f", index: 1 }] }),
    ],
    {
      content: null,
      reasoning_details: [
        { type: "reasoning.text", text: "ac", signature: "s", index: 0 },
        "b",
        { type: "reasoning.encrypted", data: "d", index: 0 },
        { type: "reasoning.summary", summary: "ef", index: 1 },
      ],
    },
  ],
  [
    "of a whole message, what its deltas have not brought",
    [chunk({ content: "a", x: 1 }), wholeMessage({ content: "b", x: 2, y: 3, refusal: "no" })],
    { content: "a", x: 1, y: 3, refusal: "no" },
  ],
  [
    "content as a text, where it came in parts of nothing but text",
    [
      chunk({ content: [{ type: "text", text: "a", index: 0 }, "b"] }),
      chunk({ content: [{ type: "text", text: "c", index: 1 }] }),
      chunk({ content: [{ text: 5 }] }),
    ],
    { content: "abc5" },
  ],
  [
    "content as a list, where it holds more",
    [
      chunk({ content: "a" }),
      chunk({ content: [{ type: "text", text: "b" }] }),
      chunk({ content: { type: "image", n: 1 } }),
      chunk({ content: 6 }),
      chunk({ content: true }),
    ],
    {
      content: [
        { type: "text", text: "ab" },
        { type: "image", n: 1 },
        { type: "text", text: "6true" },
      ],
    },
  ],
  [
    "parts of text that say more",
    [chunk({ content: [{ type: "text", text: "a", annotations: [1] }] })],
    { content: [{ type: "text", text: "a", annotations: [1] }] },
  ],
  [
    "reasoning in its forms",
    [
      chunk({ reasoning_text: "a", reasoning: 1, thinking: { text: "t" } }),
      chunk({ reasoning_text: "b", reasoning: 2, thinking: { text: "u", signature: "s" } }),
    ],
    {
      content: null,
      reasoning: "12",
      reasoning_text: "ab",
      thinking: { text: "tu", signature: "s" },
    },
  ],
])("The message has %s", (_name, payloads, fields) => {
  expect(draft(payloads).message).toEqual({ role: "assistant", ...fields });
});

test("The message has entries of tool_calls that are no calls, in their places", () => {
  const search = { type: "web_search", index: 1, query: "a" };
  const { message } = draft(
    [
      calls(search, { type: "late", index: "x", a: 1 }),
      calls({ type: "unplaced", b: 1 }),
      calls({ index: 1, query: "b" }, { index: 0, id: "c", function: { arguments: "{}" } }),
    ],
    [call({ id: "call_1" }), call({ id: "call_2", index: 1 })],
  );
  expect(message).toMatchObject({
    tool_calls: [
      { type: "late", a: 1 },
      { id: "call_1" },
      { type: "web_search", query: "ab" },
      { id: "call_2" },
      { type: "unplaced", b: 1 },
    ],
  });
  expect(JSON.stringify(message)).not.toContain("index");
});

test("The message has the type of a call that the server runs", () => {
  const { message } = draft([], [call({ extra: { type: "builtin_function", x: 1 } })]);
  const body = { name: "f", arguments: '{"x":1}' };
  const entry = { id: "call_1", type: "builtin_function", x: 1, function: body };
  expect(message).toMatchObject({ tool_calls: [entry] });
});

test("The message has fresh ids wherever it names a call", () => {
  const details = [
    { id: "f:0" },
    { id: "f:0" },
    { id: "f:0" },
    { id: "g" },
    { x: { call_id: "h" } },
  ];
  const { message } = draft(
    [chunk({ reasoning_details: details })],
    [
      call({ id: "call_1" }),
      call({ id: "call_2", index: 1 }),
      call({ id: "call_3", index: 2, providerId: "h" }),
      call({ id: "call_4", index: 3, providerId: undefined }),
    ],
  );
  expect(message).toMatchObject({
    reasoning_details: [
      { id: "call_1" },
      { id: "call_2" },
      { id: "call_2" },
      { id: "g" },
      { x: { call_id: "call_3" } },
    ],
  });
});

test("The message keeps a field that is named as a prototype", () => {
  const { message } = draft([
    JSON.parse(JSON.stringify(chunk({ x: 1 })).replace('"x"', '"__proto__"')),
  ]);
  expect(JSON.stringify(message)).toBe('{"role":"assistant","content":null,"__proto__":1}');
});

test("The message counts what it holds, not what it has held", () => {
  const many = Array.from({ length: 100 }, () => chunk({ x: "1234" }));
  expect(draft(many).length).toBe('x"1234"'.length);
  expect(draft([chunk({ content: "ab" }), chunk({ content: "c" })]).length).toBe(3);
});
