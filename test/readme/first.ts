import { headers, request, url } from "./setup.ts";
// #region readme
import { ToolCallStream } from "toolcall-stream";

const body = JSON.stringify({ ...request, stream: true });
const response = await fetch(url, { method: "POST", headers, body });
if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
for await (const call of response.body.pipeThrough(new ToolCallStream())) {
  console.log(call.id, call.name, call.input);
}
// #endregion
