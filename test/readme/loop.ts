import { question, respond, run } from "./setup.ts";

const messages: unknown[] = [question];
// #region readme
import { type ToolCall, ToolCallStream, toolResult } from "toolcall-stream";

const answer = async (call: ToolCall) => {
  if (call.status === "incomplete") return toolResult(call, call.error);
  try {
    return toolResult(call, await run(call.name, call.input));
  } catch (error) {
    return toolResult(call, { error: String(error) });
  }
};

for (;;) {
  const response = await respond(messages); // a fetch
  if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
  const calls = new ToolCallStream();
  const results = [];
  for await (const call of response.body.pipeThrough(calls)) {
    results.push(answer(call)); // starts while the response still streams
  }
  const { message } = await calls.completion;
  messages.push(message, ...(await Promise.all(results))); // ids match, reasoning kept
  if (results.length === 0) break;
}
// #endregion
console.log(messages.length);
