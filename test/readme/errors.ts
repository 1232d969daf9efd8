const body = new Response(
  'data: {"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":"{\\"x\\":1}"}}]}}]}\n\n' +
    'data: {"error":{"message":"engine died","code":500}}\n\n',
).body;
if (!body) throw new Error("No body");
// #region readme
import { ToolCallStream, ToolCallStreamError } from "toolcall-stream";

const calls = new ToolCallStream();
try {
  for await (const call of body.pipeThrough(calls)) console.log(call.name, call.status);
} catch (error) {
  if (!(error instanceof ToolCallStreamError)) throw error; // a reset, an abort: as it is
  console.log(error.code, error.provider?.message);
  console.log(calls.snapshot().toolCalls.length);
}
// #endregion
