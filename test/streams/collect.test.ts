import { expect, test } from "vitest";
import { collect } from "../../src/index.ts";
import { sse } from "../bodies.ts";
import { brief, calls, chunk, entry, finish } from "../chat-chunks.ts";

const body = (text: string): ReadableStream<Uint8Array> => new Response(text).body ?? never();

function never(): never {
  throw new Error("A response of text has a body");
}

test("collect gives the completion at the end", async () => {
  const text = sse(
    chunk({ role: "assistant", content: "", reasoning: "Think." }),
    chunk({ content: "Hi " }),
    calls(entry(0, "f:0", "f", '{"x":1}')),
    chunk({ content: "there" }),
    { choices: [], usage: { total_tokens: 9 } },
    finish("tool_calls"),
    "[DONE]",
  );
  const completion = await collect(body(text), { generateId: () => "call_1" });
  expect(brief(completion.toolCalls)).toEqual(['f {"x":1} complete']);
  expect(completion).toEqual({
    message: {
      role: "assistant",
      content: "Hi there",
      reasoning: "Think.",
      tool_calls: [
        { id: "call_1", type: "function", function: { name: "f", arguments: '{"x":1}' } },
      ],
    },
    choices: [
      {
        index: 0,
        message: completion.message,
        finishReason: "tool_calls",
        toolCalls: completion.toolCalls,
      },
    ],
    toolCalls: completion.toolCalls,
    finishReason: "tool_calls",
    usage: { total_tokens: 9 },
    response: completion.response,
    diagnostics: [],
    diagnosticCount: 0,
    dialect: "chat",
  });
});

test("collect rejects with what the stream raises", async () => {
  await expect(collect(body(sse({ error: "m" })))).rejects.toMatchObject({
    code: "provider-error",
  });
});
