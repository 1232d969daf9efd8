import { respond } from "./setup.ts";

const response = await respond();
if (!response.body) throw new Error("No body");
// #region readme
import { ToolCallStream } from "toolcall-stream";

const parseArguments = (text: string): { city?: string; zone?: string } => {
  const input = JSON.parse(text);
  if (typeof input !== "object") throw new TypeError("Expected an object"); // zod, valibot, …
  return input;
};
for await (const call of response.body.pipeThrough(new ToolCallStream({ parseArguments }))) {
  if (call.status === "complete" && call.type === "function") {
    console.log(call.input.city ?? call.input.zone); // typed
  }
}
// #endregion
