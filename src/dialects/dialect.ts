import type { JsonObject } from "../json/object.ts";
import type { AssistantMessages, Dialect, ToolCall, ToolResults, TurnMessages } from "../types.ts";
import type { Delta, PartDelta } from "./delta.ts";

/** How calls in responses of one dialect are read: `reader.ts` of its folder. */
export interface ResponseDialect {
  readonly name: Dialect;
  /** Whether an object that follows a call's arguments is a further call of the same name. */
  readonly hasFurtherCalls: boolean;
  /** Whether the payload is of this dialect. */
  matches(payload: JsonObject, name: string | undefined): boolean;
  openReader(): DialectReader;
}

/** How all else in them is read as well: `message-reader.ts` of its folder. */
export interface MessageDialect extends ResponseDialect {
  /** Whether the `type` of a payload says what kind of event it is, whatever the event's name. */
  readonly hasKinds: boolean;
  /** Whether `[DONE]`, without a finish reason, says that the response came to its end. */
  readonly endsWithDone: boolean;
  /** Whether the model stopped of its own accord. */
  isNormalReason(reason: string): boolean;
}

/** Reads the payloads of one response. */
export interface DialectReader {
  /** @param name the name of the event */
  read(payload: JsonObject, name: string | undefined): Delta[];
  /**
   * The response has ended, without an error: what is left to say, if anything.
   *
   * @param isDone whether it said so
   */
  end?(isDone: boolean): Delta[];
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

/** How histories of one dialect are read: `history.ts` of its folder. */
export interface HistoryDialect {
  readonly name: Dialect;
  /** Whether each call and each result of a history is an item of its own, not part of a message. */
  readonly isItemized: boolean;
  /** The calls and results in a message of a history, in order. */
  readReferences(message: JsonObject): Reference[];
  /**
   * What may stand for a call that is not ours to assemble, and that results may answer all the
   * same: its id, or `undefined` where the message does not say it.
   */
  readOthers?(message: JsonObject): readonly (string | undefined)[];
}

/** What the body of a request says for the ids in it, and for those in its answer. */
export interface RequestDialect {
  /** The fields that may hold messages or items. */
  readonly historyFields: readonly string[];
  /** Whether the request asks a model, so that the answer may hold calls. */
  asksModel(request: JsonObject): boolean;
  /** Whether it continues a conversation whose earlier part the server holds. */
  isContinued(request: JsonObject): boolean;
  /** Whether the server holds the answer, so that later requests may bring its results alone. */
  holdsAnswer(request: JsonObject): boolean;
  /** Every id of a call in a message, if calls that are not ours to assemble have some as well. */
  readIds?(message: JsonObject): ReferenceId[];
}

/**
 * The message with these calls and results, in the order in which they were read; `undefined` takes
 * one away. The message itself if they are the same objects.
 */
export type HistoryWriter = (
  message: JsonObject,
  parts: readonly (JsonObject | undefined)[],
) => JsonObject;

/** What servers of one dialect reject beside ids, and how it is mended. */
export interface HistoryMender {
  /**
   * The call, its name and arguments mended.
   *
   * @param mend takes the object with the name, and the field with arguments that have to be JSON
   */
  mendCall(call: JsonObject, mend: BodyMender): JsonObject;
  /** The result, as the call wants it. */
  mendResult?(result: JsonObject, call: JsonObject): JsonObject;
  /** A result that says this. */
  fillIn(call: JsonObject, id: string, text: string): JsonObject;
  /** If missing, results are messages of their own. */
  readonly messagesOfResults?: MessagesOfResults;
}

/** How results stand in messages. */
export interface MessagesOfResults {
  /** Whether the n-th result in a message, this one, comes before all else there. */
  isLeading(message: JsonObject, index: number, result: JsonObject): boolean;
  /**
   * The message with these results before all else, if it can have results.
   *
   * @param content what stays of its content
   */
  join(
    results: readonly JsonObject[],
    message: JsonObject,
    content: unknown,
  ): JsonObject | undefined;
  /** A new message for them. */
  wrap(results: readonly JsonObject[]): JsonObject;
}

/**
 * A copy with a name, and with arguments that are a JSON object: its text in `arguments`, the object
 * itself in `input`. The same object if there is nothing to mend.
 */
export type BodyMender = (body: JsonObject, field?: "arguments" | "input") => JsonObject;

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

/** The same, and whether it is that of a call or of a result. */
export type ReferenceId = PlacedId & Pick<Reference, "type">;
