// Over the chunks of the openai SDK, which has parsed them: the ids of the calls are fresh, where the
// server's may repeat in each turn.
//
//   OPENAI_BASE_URL=http://localhost:8000/v1 OPENAI_API_KEY=none node examples/openai-sdk.ts

import OpenAI from "openai";
import { type ChatEvent, ToolCallAssembler } from "toolcall-stream";

const client = new OpenAI(); // reads OPENAI_BASE_URL and OPENAI_API_KEY
const chunks = await client.chat.completions.create({
  model: process.env["MODEL"] ?? "moonshotai/Kimi-K3",
  messages: [{ role: "user", content: "Is the sun up in Tokyo? And in São Paulo?" }],
  tools: ["get_sun", "get_time"].map((name) => ({ type: "function", function: { name } })),
  stream: true,
});

function show(events: readonly ChatEvent[]): void {
  for (const event of events) {
    if (event.type === "error") throw event.error;
    if (event.type !== "tool-call") continue;
    const { id, providerId, name, input } = event.call;
    console.log(`${providerId} is ${id}:`, name, input);
  }
}

const assembler = new ToolCallAssembler();
for await (const chunk of chunks) show(assembler.push(chunk));
show(assembler.end()); // what waited for the end, and the error of a response that was cut

// Prints:
// get_sun:0 is call_…: get_sun { city: 'Tokyo' }
// get_time:1 is call_…: get_time { zone: 'Asia/Tokyo' }
