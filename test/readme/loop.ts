import { question, respond, run } from "./setup.ts";

const messages: unknown[] = [question];
// #region readme
import { type ToolCall, ToolCallStream, toolResult, turnMessages } from "toolcall-stream";

const answer = async (call: ToolCall) => {
  if (call.status === "incomplete") return toolResult(call, call.error);
  try {
    return toolResult(call, await run(call.name, call.input));
  } catch (error) {
    return toolResult(call, error, { isError: true });
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
  // In the shape of the response's dialect: ids match, reasoning is kept.
  messages.push(...turnMessages(await calls.completion, await Promise.all(results)));
  if (results.length === 0) break;
}
// #endregion
console.log(messages.length);
