import type { Dialect } from "../types.ts";
import { chatMessage } from "./chat/message-reader.ts";
import type { MessageDialect } from "./dialect.ts";
import { messagesMessage } from "./messages/message-reader.ts";
import { responsesMessage } from "./responses/message-reader.ts";

/** Apart from the readers of calls, so that the wire, which has no use for messages, ships none. */
export const MESSAGE_READERS: Readonly<Record<Dialect, MessageDialect>> = {
  chat: chatMessage,
  messages: messagesMessage,
  responses: responsesMessage,
};
