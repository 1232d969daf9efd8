import { isObject, type JsonObject } from "../json/object.ts";
import type { Dialect } from "../types.ts";
import { chatHistory, chatMender, chatRequests, writeChat } from "./chat/history.ts";
import type {
  HistoryDialect,
  HistoryMender,
  HistoryWriter,
  PlacedId,
  RequestDialect,
} from "./dialect.ts";
import {
  messagesHistory,
  messagesMender,
  messagesRequests,
  writeMessages,
} from "./messages/history.ts";
import {
  responsesHistory,
  responsesMender,
  responsesRequests,
  writeResponses,
} from "./responses/history.ts";

/** Apart from the readers, so that code which only writes histories ships none. */
const HISTORIES: Readonly<Record<Dialect, HistoryDialect>> = {
  chat: chatHistory,
  messages: messagesHistory,
  responses: responsesHistory,
};
const DIALECTS: readonly HistoryDialect[] = /* @__PURE__ */ Object.values(HISTORIES);

const REQUESTS_OF: Readonly<Record<Dialect, RequestDialect>> = {
  chat: chatRequests,
  messages: messagesRequests,
  responses: responsesRequests,
};
const REQUESTS: readonly RequestDialect[] = /* @__PURE__ */ Object.values(REQUESTS_OF);

// Apart, so that code which only reads histories does not ship how they are written and mended.

/** How calls and results are written into a message. */
export const WRITERS: Readonly<Record<Dialect, HistoryWriter>> = {
  chat: writeChat,
  messages: writeMessages,
  responses: writeResponses,
};

export const MENDERS: Readonly<Record<Dialect, HistoryMender>> = {
  chat: chatMender,
  messages: messagesMender,
  responses: responsesMender,
};

/** The dialect of a history: that of its first call or result. */
export function dialectOf(messages: readonly unknown[]): HistoryDialect | undefined {
  for (const message of messages) {
    const found = DIALECTS.find(
      (dialect) => isObject(message) && dialect.readReferences(message).length > 0,
    );
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Every id of a call in a message of a history, also of calls that are not ours to assemble. */
export function readIds(message: unknown): PlacedId[] {
  if (!isObject(message)) return [];
  for (const { readIds: read } of REQUESTS) {
    const ids = read?.(message) ?? [];
    if (ids.length > 0) return ids;
  }
  return dialectOf([message])?.readReferences(message) ?? [];
}

/** The history in the body of a request to a model: a list of messages or items, or a mere text. */
export function historyIn(request: JsonObject): readonly unknown[] | string | undefined {
  const values = REQUESTS.map(({ historyField }) => request[historyField]);
  return values.find(Array.isArray) ?? values.find((value) => typeof value === "string");
}

/** Whether the request continues a conversation whose earlier part the server holds. */
export function isServerHeld(request: JsonObject): boolean {
  return REQUESTS.some((dialect) => dialect.isServerHeld(request));
}
