import { isObject, type JsonObject } from "../json/object.ts";
import type { Dialect } from "../types.ts";
import { chatHistory } from "./chat/history.ts";
import type { HistoryDialect, PlacedId, Reference } from "./dialect.ts";
import { messagesHistory } from "./messages/history.ts";
import { responsesHistory } from "./responses/history.ts";

/** Apart from the readers, so that code which only writes histories ships none. */
const HISTORIES: Readonly<Record<Dialect, HistoryDialect>> = {
  chat: chatHistory,
  messages: messagesHistory,
  responses: responsesHistory,
};
const DIALECTS: readonly HistoryDialect[] = /* @__PURE__ */ Object.values(HISTORIES);

/** The calls and results in a message of a history, and the dialect of the message, if any. */
export function readReferences(message: unknown): {
  references: Reference[];
  dialect: HistoryDialect | undefined;
} {
  if (isObject(message)) {
    for (const dialect of DIALECTS) {
      const references = dialect.readReferences(message);
      if (references.length > 0) return { references, dialect };
    }
  }
  return { references: [], dialect: undefined };
}

/** Every id of a call in a message of a history, also of calls that are not ours to assemble. */
export function readIds(message: unknown): PlacedId[] {
  if (!isObject(message)) return [];
  for (const dialect of DIALECTS) {
    const ids = dialect.readIds?.(message) ?? dialect.readReferences(message);
    if (ids.length > 0) return ids;
  }
  return [];
}

/** The history in the body of a request to a model: a list of messages or items, or a mere text. */
export function historyIn(request: JsonObject): readonly unknown[] | string | undefined {
  const values = DIALECTS.map(({ historyField }) => request[historyField]);
  return values.find(Array.isArray) ?? values.find((value) => typeof value === "string");
}

/** Whether the request continues a conversation whose earlier part the server holds. */
export function isServerHeld(request: JsonObject): boolean {
  return DIALECTS.some((dialect) => dialect.isServerHeld(request));
}
