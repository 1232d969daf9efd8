import type { MessagesToolResult, ToolCall } from "../../types.ts";
import { resultText } from "../fields.ts";

/** The block that answers a call. */
export function writeMessagesResult(call: ToolCall, output: unknown): MessagesToolResult {
  const content = resultText(output);
  const result = { type: "tool_result", tool_use_id: call.id, content } as const;
  return call.status === "complete" ? result : { ...result, is_error: true };
}
