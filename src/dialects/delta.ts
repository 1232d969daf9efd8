import type { ProviderError } from "../errors.ts";
import type { JsonObject } from "../json/object.ts";
import type { DiagnosticCode } from "../types.ts";

/** One change that an event carries, the same for every dialect. */
export type Delta =
  | PartDelta
  | CallDelta
  /** A fragment of this call may be lost. */
  | { readonly type: "damage"; readonly choice: number; readonly index: string }
  | { readonly type: "choice"; readonly choice: number }
  | { readonly type: "finish"; readonly choice: number; readonly reason: string }
  | { readonly type: "usage"; readonly usage: JsonObject }
  /** What the server says of the response itself: absent fields say nothing. */
  | { readonly type: "response"; readonly fields: JsonObject }
  | { readonly type: "error"; readonly error: ProviderError }
  /** Something was lost, or cannot be trusted. */
  | { readonly type: "diagnostic"; readonly code: DiagnosticCode; readonly message: string }
  /** An id of a call that is not ours to assemble, or of a result. */
  | {
      readonly type: "reference";
      /** The same for all references to one call. For a call of ours, its index. */
      readonly index: string;
      readonly places: readonly IdPlace[];
    }
  | IdReferenceDelta
  /** The response is over: `isCut` if it did not come to its end. */
  | { readonly type: "end"; readonly isCut: boolean };

/**
 * A change to the message, its calls aside. In a message that is a list, a part begins with a `field`
 * delta without `path`; what comes for a part that has not begun is dropped.
 */
export type PartDelta = {
  readonly choice: number;
  /** The field of the message that changes; in a list of parts, the key of one part. */
  readonly field: string;
  /** The place in that part; absent when the whole part changes. */
  readonly path?: string | undefined;
  /** From a whole message: it counts only if no delta came before. */
  readonly isFromMessage?: boolean;
  /** The text is shown; a `field` delta brings it into the message, in the form that it came in. */
  readonly isOnlyShown?: boolean | undefined;
  /** In a list of parts, where one begins: its position, if the server has told. */
  readonly order?: string | undefined;
  /** In a list of parts: whether this is the end of one. */
  readonly isEnd?: boolean;
  /** In a list of parts: it begins none. */
  readonly isLater?: boolean | undefined;
} & (
  | { readonly type: "text" | "reasoning"; readonly value: string }
  /** Not shown, yet part of the history. */
  | { readonly type: "field"; readonly value: unknown }
);

/** An id that may be that of a call of ours. */
export interface IdReferenceDelta {
  readonly type: "reference";
  readonly choice: number;
  /** The id of the server. */
  readonly id: string;
  /** Whether it is the id of a call to come, if no call has it yet. */
  readonly isAhead: boolean;
  readonly places: readonly IdPlace[];
}

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
  readonly isFromMessage?: boolean;
  /** Text of the arguments. */
  readonly fragment: string;
  /**
   * How much of the arguments the fragment is. `piece`: it continues the text before it. `all`: it is
   * all of them, though pieces may have come. `opening`: it came with the start of the call, and is all
   * of them unless pieces have come.
   *
   * @default "piece"
   */
  readonly extent?: "piece" | "all" | "opening";
  /** Nothing more comes for the call: it has all that the model sent. */
  readonly isClosed?: boolean;
  readonly extra?: JsonObject | undefined;
  readonly places?: readonly IdPlace[] | undefined;
}

/**
 * Whether a delta has objects of its payload, for someone to keep. Those of `places` are looked at
 * while the event is read, and then no more.
 */
export function keepsObjects(delta: Delta): boolean {
  switch (delta.type) {
    case "text":
    case "reasoning":
    case "choice":
    case "finish":
    case "damage":
    case "diagnostic":
    case "reference":
    case "end":
      return false;
    case "call":
      return delta.extra !== undefined;
    case "field":
      return isObjectOrList(delta.value);
    case "response":
      return Object.values(delta.fields).some(isObjectOrList);
    case "usage":
    case "error":
      return true;
    // No default: a delta of another type would not compile.
  }
}

function isObjectOrList(value: unknown): boolean {
  return typeof value === "object" && value !== null;
}

/** Whether the like of it is likely to come again, many times: text in pieces is. */
export function mayRepeat(delta: Delta): boolean {
  if (delta.type === "call")
    return delta.name === undefined && (delta.extent ?? "piece") === "piece";
  return delta.type === "text" || delta.type === "reasoning";
}

/** Where an id stands on the wire, for whoever rewrites it. */
export interface IdPlace {
  readonly holder: JsonObject;
  readonly field: string;
  /** Which of such places of a call get the id even if the server sent none; if missing, none. */
  readonly insert?: "first" | "always" | undefined;
  /** Written instead of the call's id (Responses: the streamed item id). */
  readonly text?: string | undefined;
}
