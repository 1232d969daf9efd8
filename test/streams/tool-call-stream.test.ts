import { expect, test } from "vitest";
import { ToolCallStream } from "../../src/index.ts";
import { bodyOf, readAll, sse } from "../bodies.ts";
import { brief, calls, chunk, entry, finish } from "../chat-chunks.ts";

test("ToolCallStream emits calls alone, and keeps all else for its completion", async () => {
  const stream = new ToolCallStream();
  const repeated = calls(entry(0, "a", "f", '{"x":1}{"x":1}'));
  const usage = { total_tokens: 5 };
  const body = sse(chunk({ content: "Hi" }), repeated, { choices: [], usage }, finish("stop"));
  const { values } = await readAll(bodyOf([body]).pipeThrough(stream));
  expect(brief(values)).toEqual(['f {"x":1} complete']);
  expect(await stream.completion).toMatchObject({
    message: { content: "Hi" },
    toolCalls: values,
    finishReason: "stop",
    usage,
    diagnostics: [{ code: "repeated-arguments" }],
  });
});
