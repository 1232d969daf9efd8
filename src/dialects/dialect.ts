import type { JsonObject } from "../json/object.ts";
import type { AssistantMessages, Dialect, ToolCall, ToolResults, TurnMessages } from "../types.ts";
import type { Delta, PartDelta } from "./delta.ts";

/** How responses of one dialect are read: `reader.ts` of its folder. */
export interface ResponseDialect {
  readonly name: Dialect;
  /** Whether an object that follows a call's arguments is a further call of the same name. */
  readonly hasFurtherCalls: boolean;
  /** Whether the `type` of a payload says what kind of event it is, whatever the event's name. */
  readonly hasKinds: boolean;
  /** Whether `[DONE]`, without a finish reason, says that the response came to its end. */
  readonly endsWithDone: boolean;
  /** Whether the payload is of this dialect. */
  matches(payload: JsonObject, name: string | undefined): boolean;
  openReader(): DialectReader;
  /** Whether the model stopped of its own accord. */
  isNormalReason(reason: string): boolean;
}

/** Reads the payloads of one response. */
export interface DialectReader {
  /** Whether an event reads alike wherever it stands in the response; if missing, it does not. */
  readonly isStateless?: boolean;
  /** @param name the name of the event */
  read(payload: JsonObject, name: string | undefined): Delta[];
  /**
   * The response has ended, without an error.
   *
   * @param isDone whether it said so
   */
  end(isDone: boolean): Delta[];
  /** Fields of the response that change with each event, as they are now. */
  readonly lastFields?: JsonObject;
}

/** Takes new text that no delta shows: it came in something whole. */
export type Show = (type: "text" | "reasoning", text: string) => void;

/** The message of one choice as it grows: `draft.ts` of the folder of its dialect. */
export interface MessageDraft {
  /**
   * Takes a change.
   *
   * @returns how many characters the message has grown; `undefined` if the change says nothing new
   */
  add(delta: PartDelta, show?: Show): number | undefined;
  /** @param calls the calls that have come out, in order of first appearance */
  write(calls: readonly ToolCall[]): AssistantMessages[Dialect];
}

/** How a turn of one dialect goes back: `result.ts` of its folder. */
export interface TurnDialect<Name extends Dialect> {
  /** The field of a result that has the id of its call. */
  readonly resultField: string;
  /** The ids of the calls in the message, in order, without those that it answers itself. */
  openIds(message: AssistantMessages[Name]): unknown[];
  /** @returns the message, unless it is empty, and the results */
  write(
    message: AssistantMessages[Name],
    results: readonly ToolResults[Name][],
  ): TurnMessages[Name];
}

/** How histories of one dialect are read and written: `history.ts` of its folder. */
export interface HistoryDialect {
  /** Whether each call and each result of a history is an item of its own, not part of a message. */
  readonly isItemized: boolean;
  /** The field of a request's body that holds the history. */
  readonly historyField: string;
  /** Whether the request continues a conversation whose earlier part the server holds. */
  isServerHeld(request: JsonObject): boolean;
  /** Whether the message separates two turns of the model. */
  endsTurn(message: JsonObject): boolean;
  /** The calls and results in a message of a history, in order. */
  readReferences(message: JsonObject): Reference[];
  /** Every id of a call in a message, if calls that are not ours to assemble have some as well. */
  readIds?(message: JsonObject): PlacedId[];
  /** A copy of the message in which its calls and results have these ids, in the same order. */
  writeIds(message: JsonObject, ids: readonly string[]): JsonObject;
}

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

/** An id, and its place in a history. */
export type PlacedId = Pick<Reference, "id" | "holder" | "field">;
