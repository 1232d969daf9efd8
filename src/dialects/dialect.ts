import type { ProviderError } from "../errors.ts";
import type { AssistantMessages, DiagnosticCode, Dialect, JsonObject, ToolCall } from "../types.ts";
import { chat } from "./chat/reader.ts";
import { messages } from "./messages/reader.ts";
import { responses } from "./responses/reader.ts";

/** One change that an event carries, the same for every dialect. */
export type Delta =
  | PartDelta
  | CallDelta
  /** A fragment of this call may be lost. */
  | { readonly type: "damage"; readonly choice: number; readonly index: string }
  | { readonly type: "choice"; readonly choice: number }
  | { readonly type: "finish"; readonly choice: number; readonly reason: string }
  | { readonly type: "usage"; readonly usage: JsonObject }
  | { readonly type: "error"; readonly error: ProviderError }
  /** Something was lost, or cannot be trusted. */
  | { readonly type: "diagnostic"; readonly code: DiagnosticCode; readonly message: string }
  /** Something with the id of a call that is not ours to assemble, or of its result. */
  | {
      readonly type: "reference";
      /** The same for all that refer to one call; of a call of ours, its index. */
      readonly index: string;
      readonly places: readonly IdPlace[];
    }
  /** The response is over: `isCut` where it was not brought to its end. */
  | { readonly type: "end"; readonly isCut: boolean };

/** A change to what the message holds beside calls. */
export type PartDelta = {
  readonly choice: number;
  /** Where in the message it goes; where that is a list of parts, the key of one. */
  readonly field: string;
  /** Where in that part, if it is no change to the whole of it. */
  readonly path?: string | undefined;
  /** From a whole message: it counts only where no delta came before. */
  readonly isWhole?: boolean;
} & (
  | { readonly type: "text" | "reasoning"; readonly value: string }
  /** What is not shown, yet goes back with the history. */
  | { readonly type: "field"; readonly value: unknown }
);

/** A change to one call. Absent fields are missing or `undefined`, an absent fragment is `""`. */
export interface CallDelta {
  readonly type: "call";
  readonly choice: number;
  /** A key, not a position. */
  readonly index: string | undefined;
  readonly id?: string | undefined;
  readonly name?: string | undefined;
  readonly isCustom?: boolean;
  /** Behind another call in the same list. */
  readonly isFurther?: boolean;
  /** From a whole message. */
  readonly isWhole?: boolean;
  readonly fragment: string;
  /** Whether the fragment is not a piece but all of the arguments, which may have come in pieces. */
  readonly isSnapshot?: boolean;
  readonly extra?: JsonObject | undefined;
  readonly places: readonly IdPlace[];
}

/** Where an id stands on the wire, for whoever rewrites it. */
export interface IdPlace {
  readonly holder: JsonObject;
  readonly field: string;
  /** Whether the first such place of a call gets its id also where the server sent none. */
  readonly mayInsert?: boolean;
  /** What is to stand there, where that is not the id of the call. */
  readonly text?: string | undefined;
}

/** The message of one choice as it grows. */
export interface MessageDraft {
  /**
   * Takes a change.
   *
   * @returns how many characters longer the message is; `undefined` where the change says nothing new
   */
  add(delta: PartDelta): number | undefined;
  /** @param calls those that have come out, in order of their first appearance */
  write(calls: readonly ToolCall[]): AssistantMessages[Dialect];
}

/** Reads the payloads of one response. */
export interface DialectReader {
  /** Whether an event reads alike wherever it stands in the response; if missing, it does not. */
  readonly isStateless?: boolean;
  /** @param name that of the event */
  read(payload: JsonObject, name: string | undefined): Delta[];
  /**
   * The response has ended, without an error.
   *
   * @param isDone whether it said so
   */
  end(isDone: boolean): Delta[];
}

/** How responses of one wire shape are read. What is known of its histories stands apart. */
export interface WireDialect {
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
  draftMessage(): MessageDraft;
}

const DIALECTS: readonly WireDialect[] = [chat, messages, responses];

/** The dialect of a payload, by its shape alone. */
export function detectDialect(
  payload: JsonObject,
  name: string | undefined,
): WireDialect | undefined {
  return DIALECTS.find((dialect) => dialect.matches(payload, name));
}
