import type { ResponsesToolOutput, ToolCall } from "../../types.ts";
import { resultText } from "../fields.ts";

/** The item that answers a call. */
export function writeResponsesResult(call: ToolCall, output: unknown): ResponsesToolOutput {
  return {
    type: call.type === "custom" ? "custom_tool_call_output" : "function_call_output",
    call_id: call.id,
    output: resultText(output),
  };
}
