import type { ChatToolMessage, ToolCall } from "../../types.ts";
import { nameOf, resultText } from "../fields.ts";

/** The message that answers a call. */
export function writeChatResult(call: ToolCall, output: unknown): ChatToolMessage {
  const content = resultText(output);
  return { role: "tool", tool_call_id: call.id, name: nameOf(call), content };
}
