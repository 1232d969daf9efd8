import type { ChatAssistantMessage } from "../src/index.ts";

/** The message of a completion, or of a choice, whose body is known to be of the chat dialect. */
export function chatMessage({
  message,
}: {
  readonly message: unknown;
}): ChatAssistantMessage | undefined {
  return message as ChatAssistantMessage | undefined;
}
