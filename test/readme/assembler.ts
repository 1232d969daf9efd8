import { respond } from "./setup.ts";

const text = await (await respond()).text();
const payloads = text.split("\n\n").map((event) => event.slice("data: ".length));
const chunks = payloads.filter((data) => data.startsWith("{")).map((data) => JSON.parse(data));
// #region readme
import { ToolCallAssembler } from "toolcall-stream";

const assembler = new ToolCallAssembler();
for await (const chunk of chunks) {
  for (const event of assembler.push(chunk)) {
    if (event.type === "tool-call") console.log(event.call.name, event.call.input);
  }
}
for (const event of assembler.end()) if (event.type === "error") throw event.error;
// #endregion
