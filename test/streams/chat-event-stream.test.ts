import { expect, test } from "vitest";
import { readEvents, sse } from "../bodies.ts";
import { calls, chunk, entry, finish } from "../chat-chunks.ts";

test("ChatEventStream emits all that the response says, in wire order", async () => {
  const usage = { total_tokens: 5 };
  const body = sse(
    chunk({ reasoning: "Hm" }),
    chunk({ content: "Hi" }),
    calls(entry(0, "f:0", "f", '{"x":1}{"x":1}')),
    finish("stop"),
    { choices: [], usage },
    "[DONE]",
  );
  const { events, error } = await readEvents([body], { generateId: () => "call_1" });
  expect(error).toBeUndefined();
  expect(events).toEqual([
    { type: "reasoning", text: "Hm", choice: 0 },
    { type: "text", text: "Hi", choice: 0 },
    { type: "tool-call-start", id: "call_1", name: "f", choice: 0, index: 0 },
    { type: "tool-call-delta", id: "call_1", fragment: '{"x":1}' },
    { type: "tool-call", call: expect.objectContaining({ id: "call_1", input: { x: 1 } }) },
    {
      type: "diagnostic",
      diagnostic: expect.objectContaining({ code: "repeated-arguments", id: "call_1" }),
    },
    { type: "finish", choice: 0, reason: "stop" },
    { type: "usage", usage },
  ]);
});
