// An agent's loop in Node: each tool starts while the response still streams, and the history that
// goes back has ids that match.
//
//   OPENAI_BASE_URL=http://localhost:8000/v1 node examples/node.ts

import { type ToolCall, ToolCallStream, toolResult, turnMessages } from "toolcall-stream";
import { definitions as tools, run } from "../demo/tools.js";

const { OPENAI_BASE_URL, OPENAI_API_KEY, MODEL = "moonshotai/Kimi-K3" } = process.env;
const headers = { authorization: `Bearer ${OPENAI_API_KEY}`, "content-type": "application/json" };
const question = "Is the sun up in Tokyo? And in São Paulo?";
const messages: unknown[] = [{ role: "user", content: question }];

const answer = async (call: ToolCall) => {
  console.log(`${call.name}(${call.arguments})`);
  if (call.status === "incomplete") return toolResult(call, call.error);
  try {
    return toolResult(call, await run(call.name, call.input));
  } catch (error) {
    return toolResult(call, error, { isError: true });
  }
};

for (;;) {
  const body = JSON.stringify({ model: MODEL, messages, tools, stream: true });
  const url = `${OPENAI_BASE_URL}/chat/completions`;
  const response = await fetch(url, { method: "POST", headers, body });
  if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);

  const calls = new ToolCallStream();
  const results = [];
  for await (const call of response.body.pipeThrough(calls)) results.push(answer(call));

  const completion = await calls.completion;
  messages.push(...turnMessages(completion, await Promise.all(results)));
  if (results.length > 0) continue;
  if (completion.dialect === "chat") console.log(completion.message?.content);
  break;
}

// Prints:
// get_sun({"city": "Tokyo"})
// get_time({"zone": "Asia/Tokyo"})
// get_sun({"city": "São Paulo"})
// get_time({"zone": "America/Sao_Paulo"})
// In Tokyo it is … and the sun is … (… to …). In São Paulo it is …
