// A parser of your own, in Deno: what it returns types `call.input`, and what it throws makes the call
// incomplete, with a message for the model.
//
//   OPENAI_BASE_URL=http://localhost:8000/v1 deno run --allow-env --allow-net examples/deno.ts

import { ToolCallStream } from "toolcall-stream";
import { definitions as tools } from "../demo/tools.js";

/** Here is the place for zod, valibot or the like. */
function parseArguments(text: string): { city: string } {
  const { city } = JSON.parse(text);
  if (typeof city !== "string") throw new TypeError("city must be a string");
  return { city };
}

const { OPENAI_BASE_URL, OPENAI_API_KEY, MODEL = "moonshotai/Kimi-K3" } = Deno.env.toObject();
const messages = [{ role: "user", content: "Is the sun up in Tokyo? And in São Paulo?" }];
const response = await fetch(`${OPENAI_BASE_URL}/chat/completions`, {
  method: "POST",
  headers: { authorization: `Bearer ${OPENAI_API_KEY}`, "content-type": "application/json" },
  body: JSON.stringify({ model: MODEL, messages, tools, stream: true }),
});
if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);

for await (const call of response.body.pipeThrough(new ToolCallStream({ parseArguments }))) {
  if (call.status === "incomplete") console.log(`${call.error.code}: ${call.error.message}`);
  else if (call.type === "function") console.log(`${call.name} of ${call.input.city}`);
}

// Prints:
// get_sun of Tokyo
// rejected: Cannot execute get_time: city must be a string
