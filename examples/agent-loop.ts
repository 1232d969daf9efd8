// A whole agent: tools start the moment their call completes, side by side; a call that was cut, is
// no JSON or has a tool that fails goes back with the reason, and the model tries again; so it does
// when the server breaks off in the middle of a turn, and no call of that turn is run twice.
//
//   OPENAI_BASE_URL=http://localhost:8000/v1 node examples/agent-loop.ts

import { type ToolCall, ToolCallStream, ToolCallStreamError, toolResult } from "toolcall-stream";
import { definitions as tools, run } from "../demo/tools.js";

const { OPENAI_BASE_URL, OPENAI_API_KEY, MODEL = "moonshotai/Kimi-K3" } = process.env;
const headers = { authorization: `Bearer ${OPENAI_API_KEY}`, "content-type": "application/json" };
const question = "Is the sun up in Tokyo? And in São Paulo?";
const messages: unknown[] = [{ role: "user", content: question }];
const MAX_FAILURES = 3;

const answer = async (call: ToolCall) => {
  if (call.status === "incomplete") return toolResult(call, call.error);
  try {
    return toolResult(call, await run(call.name, call.input));
  } catch (error) {
    return toolResult(call, { error: String(error) });
  }
};

let failures = 0;
for (;;) {
  const body = JSON.stringify({ model: MODEL, messages, tools, stream: true });
  const url = `${OPENAI_BASE_URL}/chat/completions`;
  const response = await fetch(url, { method: "POST", headers, body });
  if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);

  const calls = new ToolCallStream();
  const results = [];
  let hasFailed = false;
  try {
    for await (const call of response.body.pipeThrough(calls)) results.push(answer(call));
  } catch (error) {
    hasFailed = true;
    failures += 1;
    if (!(error instanceof ToolCallStreamError) || failures > MAX_FAILURES) throw error;
    console.log(`${error.code}: asking again`);
  }
  // Every call came out before the error did: those of a turn that failed have run as well.
  const { dialect, message } = calls.snapshot();
  if (results.length > 0) messages.push(message, ...(await Promise.all(results)));
  else if (!hasFailed) {
    if (dialect === "chat") console.log(message?.content);
    break;
  }
}

// Prints:
// In Tokyo it is … and the sun is … (… to …). In São Paulo it is …
