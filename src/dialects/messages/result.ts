import type {
  MessagesResultBlock,
  MessagesToolResult,
  ToolCall,
  TurnMessages,
} from "../../types.ts";
import type { TurnDialect } from "../dialect.ts";
import { resultContent } from "../result-content.ts";

const BLOCKS =
  /^((text text|tool_reference tool_name) string|((image|document) source|search_result content) object)$/;

/** The block that answers a call. */
export function writeMessagesResult(
  call: ToolCall,
  output: unknown,
  isError?: boolean,
): MessagesToolResult {
  const content = resultContent<MessagesResultBlock>(output, BLOCKS);
  const result = { type: "tool_result", tool_use_id: call.id, content } as const;
  const isFailed = isError || output instanceof Error || call.status !== "complete";
  // Anthropic answers 400 to an error without content.
  return isFailed ? { ...result, content: content || "Error", is_error: true } : result;
}

/** Turns of Anthropic Messages: all results stand in one message. */
export const messagesTurn: TurnDialect<"messages"> = {
  resultField: "tool_use_id",

  openIds({ content }) {
    const answered = new Set(content.map((block) => block["tool_use_id"]));
    const calls = content.filter(({ type }) => type === "tool_use");
    return calls.map(({ id }) => id).filter((id) => !answered.has(id));
  },

  write(message, results) {
    const turn: TurnMessages["messages"] = message.content.length > 0 ? [message] : [];
    if (results.length > 0) turn.push({ role: "user", content: [...results] });
    return turn;
  },
};
