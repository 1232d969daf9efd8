import { isObject, type JsonObject } from "../json/object.ts";
import type { Dialect } from "../types.ts";
import { chatHistory, chatMender, chatRequests, writeChat } from "./chat/history.ts";
import type {
  HistoryDialect,
  HistoryMender,
  HistoryWriter,
  ReferenceId,
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
export function readIds(message: unknown): ReferenceId[] {
  if (!isObject(message)) return [];
  for (const { readIds: read } of REQUESTS) {
    const ids = read?.(message) ?? [];
    if (ids.length > 0) return ids;
  }
  for (const { readReferences } of DIALECTS) {
    const ids = readReferences(message);
    if (ids.length > 0) return ids;
  }
  return [];
}

/** The messages or items in the body of a request. */
export function historyIn(request: JsonObject): readonly unknown[] {
  const values = REQUESTS.flatMap(({ historyFields }) => historyFields).map(
    (field) => request[field],
  );
  return values.find(Array.isArray) ?? [];
}

/** Whether the request asks a model, so that the answer may hold calls. */
export function asksModel(request: JsonObject): boolean {
  return REQUESTS.some((dialect) => dialect.asksModel(request));
}

/** Whether the request continues a conversation whose earlier part the server holds. */
export function isContinued(request: JsonObject): boolean {
  return REQUESTS.some((dialect) => dialect.isContinued(request));
}

/** Whether the server holds the answer, so that later requests may bring its results alone. */
export function holdsAnswer(request: JsonObject): boolean {
  return REQUESTS.some((dialect) => dialect.holdsAnswer(request));
}
