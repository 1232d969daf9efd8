import { isObject } from "./provider-error.ts";
import type { Dialect, JsonObject, ToolCall, ToolResults } from "../types.ts";
import { chatHistory } from "./chat/reader.ts";
import { messagesHistory } from "./messages/reader.ts";
import { responsesHistory } from "./responses/reader.ts";

/** A call or a result in a message of a history. */
export interface Reference {
  readonly type: "call" | "result";
  readonly id: string;
  /** Of a call. */
  readonly name: string | undefined;
  /** Where the id stands. */
  readonly holder: JsonObject;
  readonly field: string;
}

/** The id that a place in a history is to have. */
export type PlacedId = Pick<Reference, "id" | "holder" | "field">;

/** How histories of one wire shape are read and written. */
export interface HistoryDialect {
  readonly name: Dialect;
  /** Whether each call and each result of a history is an item of its own, not part of a message. */
  readonly isItemized: boolean;
  /** Whether what the model said before the message and what it says after it are two turns. */
  endsTurn(message: JsonObject): boolean;
  writeResult(call: ToolCall, content: string): ToolResults[Dialect];
  /** The calls and results in a message of a history, in order. */
  readReferences(message: JsonObject): Reference[];
  /** A copy of the message in which its calls and results have these ids, in the same order. */
  writeIds(message: JsonObject, ids: readonly string[]): JsonObject;
}

/** Apart from the dialects of responses, so that whoever writes histories ships no readers. */
const DIALECTS: readonly HistoryDialect[] = [chatHistory, messagesHistory, responsesHistory];

export function historyDialectOf(name: Dialect): HistoryDialect {
  const dialect = DIALECTS.find((candidate) => candidate.name === name);
  if (dialect === undefined)
    throw new TypeError(`Cannot answer call: dialect "${name}" is unknown`);
  return dialect;
}

/** The calls and results in a message of a history, and the dialect that it is in, if any. */
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
