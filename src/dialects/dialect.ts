import type { ProviderError } from "../errors.ts";
import type {
  ChatAssistantMessage,
  ChatToolMessage,
  Dialect,
  JsonObject,
  ToolCall,
} from "../types.ts";
import { isObject } from "../provider-error.ts";
import { chat } from "./chat.ts";

/** One change that an event carries, the same for every dialect. */
export type Delta =
  | PartDelta
  | CallDelta
  | { readonly type: "choice"; readonly choice: number }
  | { readonly type: "finish"; readonly choice: number; readonly reason: string }
  | { readonly type: "usage"; readonly usage: JsonObject }
  | { readonly type: "error"; readonly error: ProviderError };

/** A change to what the message holds beside calls. */
export type PartDelta = {
  readonly choice: number;
  /** Where in the message it goes. */
  readonly field: string;
  /** From a whole message: it counts only where no delta came before. */
  readonly isWhole: boolean;
} & (
  | { readonly type: "text" | "reasoning"; readonly text: string }
  /** What is not shown, yet goes back with the history. */
  | { readonly type: "field"; readonly value: unknown }
);

/** A change to one call. Absent fields are `undefined`, an absent fragment is `""`. */
export interface CallDelta {
  readonly type: "call";
  readonly choice: number;
  /** A key, not a position. */
  readonly index: string | undefined;
  readonly id: string | undefined;
  readonly name: string | undefined;
  readonly isCustom: boolean;
  /** Behind another call in the same list. */
  readonly isFurther: boolean;
  /** From a whole message. */
  readonly isWhole: boolean;
  readonly fragment: string;
  readonly extra: JsonObject | undefined;
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
  write(calls: readonly ToolCall[]): ChatAssistantMessage;
}

/** A call or a result in a message of a history. */
export interface Reference {
  readonly type: "call" | "result";
  readonly id: string;
  /** Of a call. */
  readonly name: string | undefined;
}

/** All that is known of one wire shape. */
export interface WireDialect {
  readonly name: Dialect;
  /** Whether the payload is of this dialect. */
  matches(payload: JsonObject): boolean;
  read(payload: JsonObject): Delta[];
  draftMessage(): MessageDraft;
  writeResult(call: ToolCall, content: string): ChatToolMessage;
  /** The calls and results in a message of a history, in order. */
  readReferences(message: JsonObject): Reference[];
  /** A copy of the message in which its calls and results have these ids, in the same order. */
  writeIds(message: JsonObject, ids: readonly string[]): JsonObject;
}

const DIALECTS: readonly WireDialect[] = [chat];

/** The dialect of a payload, by its shape alone. */
export function detectDialect(payload: JsonObject): WireDialect | undefined {
  return DIALECTS.find((dialect) => dialect.matches(payload));
}

export function dialectOf(name: Dialect): WireDialect {
  const dialect = DIALECTS.find((candidate) => candidate.name === name);
  if (dialect === undefined)
    throw new TypeError(`Cannot answer call: dialect "${name}" is unknown`);
  return dialect;
}

/** The calls and results in a message of a history, and the dialect that it is in, if any. */
export function readReferences(message: unknown): {
  references: Reference[];
  dialect: WireDialect | undefined;
} {
  if (isObject(message)) {
    for (const dialect of DIALECTS) {
      const references = dialect.readReferences(message);
      if (references.length > 0) return { references, dialect };
    }
  }
  return { references: [], dialect: undefined };
}
