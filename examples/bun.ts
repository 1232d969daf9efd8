// Everything that a response says, in wire order, in Bun: reasoning and text as they come, and each
// call as it grows.
//
//   OPENAI_BASE_URL=http://localhost:8000/v1 bun examples/bun.ts

import { ChatEventStream } from "toolcall-stream";
import { definitions as tools } from "../demo/tools.js";

const { OPENAI_BASE_URL, OPENAI_API_KEY, MODEL = "moonshotai/Kimi-K3" } = Bun.env;
const messages = [{ role: "user", content: "Is the sun up in Tokyo? And in São Paulo?" }];
const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
  method: "POST",
  headers: { authorization: `Bearer ${OPENAI_API_KEY}`, "content-type": "application/json" },
  body: JSON.stringify({ model: MODEL, messages, tools, stream: true }),
});
if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);

const terminal = Bun.stdout.writer();
for await (const event of response.body.pipeThrough(new ChatEventStream())) {
  if (event.type === "reasoning" || event.type === "text") terminal.write(event.text);
  else if (event.type === "tool-call-start") terminal.write(`\n${event.name} `);
  else if (event.type === "tool-call-delta") terminal.write(event.fragment);
  else if (event.type === "tool-call") terminal.write(` ${event.call.status}`);
  await terminal.flush();
}
terminal.write("\n");
await terminal.end();

// Prints:
// Two cities. Tokyo first.
// get_sun {"city": "Tokyo"} complete
// get_time {"zone": "Asia/Tokyo"} complete
