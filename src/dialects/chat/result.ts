import type { ChatAssistantMessage, ChatTextPart, ChatToolMessage, ToolCall } from "../../types.ts";
import type { TurnDialect } from "../dialect.ts";
import { nameOf } from "../fields.ts";
import { resultContent } from "../result-content.ts";

/** Its API takes text alone. What more a host takes of what a user message may have is its own rule. */
const PARTS = /^(text text string|(image_url|input_audio|file) \2 object)$/;

/** The message that answers a call. */
export function writeChatResult(call: ToolCall, output: unknown): ChatToolMessage {
  return {
    role: "tool",
    tool_call_id: call.id,
    name: nameOf(call),
    content: resultContent<ChatTextPart>(output, PARTS),
  };
}

/** Turns of OpenAI Chat Completions. */
export const chatTurn: TurnDialect<"chat"> = {
  resultField: "tool_call_id",

  openIds: ({ tool_calls: calls = [] }) => calls.map(({ id }) => id),

  write: (message, results) => [...(isEmpty(message) ? [] : [message]), ...results],
};

/** Whether nothing of the message is worth to go back: servers reject one without content and calls. */
function isEmpty(message: ChatAssistantMessage): boolean {
  return Object.entries(message).every(
    ([field, value]: [string, unknown]) =>
      field === "role" || value === null || value === "" || isEmptyList(value),
  );
}

/** OpenAI sends empty `annotations`. */
function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
