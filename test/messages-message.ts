import type { MessagesAssistantMessage } from "../src/index.ts";

/** The message of a completion whose body is known to be of the messages dialect. */
export function messagesMessage({
  message,
}: {
  readonly message: unknown;
}): MessagesAssistantMessage | undefined {
  return message as MessagesAssistantMessage | undefined;
}
