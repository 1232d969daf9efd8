import type { Dialect } from "../types.ts";
import { draftChatMessage } from "./chat/draft.ts";
import type { MessageDraft } from "./dialect.ts";
import { draftMessagesMessage } from "./messages/draft.ts";
import { draftResponsesItems } from "./responses/draft.ts";

/** Apart from the readers, so that the wire, which writes no messages, ships none. */
const DRAFTS: Readonly<Record<Dialect, () => MessageDraft>> = {
  chat: draftChatMessage,
  messages: draftMessagesMessage,
  responses: draftResponsesItems,
};

/** An empty message of a dialect. */
export function draftMessage(dialect: Dialect): MessageDraft {
  return DRAFTS[dialect]();
}
