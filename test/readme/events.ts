import { respond } from "./setup.ts";

const response = await respond();
if (!response.body) throw new Error("No body");
const seen: string[] = [];
const show = (text: string): number => seen.push(text);
// #region readme
import { ChatEventStream } from "toolcall-stream";

for await (const event of response.body.pipeThrough(new ChatEventStream())) {
  if (event.type === "reasoning" || event.type === "text") show(event.text);
  else if (event.type === "tool-call-start") show(`${event.name}: `);
  else if (event.type === "tool-call-delta") show(event.fragment);
  else if (event.type === "tool-call") show(` → ${event.call.status}\n`);
}
// #endregion
console.log(seen.join(""));
