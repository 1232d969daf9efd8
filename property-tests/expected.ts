import { type ToolCall, type ToolCallErrorCode, ToolCallStreamError } from "../src/index.ts";
import { type CallPlace, type Frame, UNKNOWN_FIELDS } from "./encoder.ts";
import { isHeld, rawText } from "./fragments.ts";
import type { Scenario } from "./quirks.ts";
import { type ModelCall, NORMAL_REASONS } from "./turns.ts";

/** A call as it must come out; what is left to chance (its id) or to wording is left out. */
export interface ExpectedCall {
  readonly type: string;
  readonly name: string;
  readonly providerId: string | undefined;
  readonly arguments: string;
  readonly choice: number;
  readonly index: number;
  readonly extra: unknown;
  readonly status: string;
  /** As JSON, in which `__proto__` is a key and the order of keys shows. */
  readonly input: string | undefined;
  readonly code: ToolCallErrorCode | undefined;
}

/** The same of a call that came out. */
export function seen(call: ToolCall): ExpectedCall {
  const { type, name, providerId, choice, index, extra, status, input, error } = call;
  return {
    type,
    name,
    providerId,
    arguments: call.arguments,
    choice,
    index,
    extra,
    status,
    input: input === undefined ? undefined : JSON.stringify(input),
    code: error?.code,
  };
}

/** A message without the unknown fields that came in its deltas. */
export function knownFields(message: object | undefined): object | undefined {
  if (message === undefined) return undefined;
  const entries = Object.entries(message).filter(
    ([field]) => !Object.hasOwn(UNKNOWN_FIELDS, field),
  );
  return Object.fromEntries(entries);
}

/** The calls that a scenario must give, in the order in which they must come out. */
export function expectedCalls(scenario: Scenario, frames: readonly Frame[]): ExpectedCall[] {
  const started = frames.flatMap(({ starts }) => starts);
  const early = frames.flatMap(({ completes }) => completes);
  const isEarly = (place: CallPlace): boolean =>
    early.some(({ choice, call }) => choice === place.choice && call === place.call);
  const order = [...early, ...started.filter((place) => !isEarly(place))];
  return order.map((place) => {
    const ofChoice = started.filter(({ choice }) => choice === place.choice);
    const index = ofChoice.findIndex(({ call }) => call === place.call);
    return expectedCall(scenario, place, index);
  });
}

export function callAt({ turn }: Scenario, { choice, call }: CallPlace): ModelCall {
  return turn.choices[choice]?.calls[call] as ModelCall;
}

function expectedCall(scenario: Scenario, place: CallPlace, index: number): ExpectedCall {
  const { quirks } = scenario;
  const call = callAt(scenario, place);
  const { name, id, kind, text, value, extra } = call;
  const isNormal = isNormalEnd(scenario, place.choice);
  const canComplete = isNormal || !isHeld(call, quirks);
  const isComplete = canComplete && name !== "" && kind !== "cut" && kind !== "broken";
  const json = kind === "nothing" ? "{}" : text;
  const complete = { arguments: json, input: JSON.stringify(kind === "free" ? text : value) };
  return {
    type: kind === "free" ? "custom" : "function",
    name,
    providerId: id,
    // What is incomplete comes out as it was sent.
    ...(isComplete ? complete : { arguments: rawText(call, quirks), input: undefined }),
    choice: place.choice,
    index,
    extra,
    status: isComplete ? "complete" : "incomplete",
    code: isComplete ? undefined : callErrorCode(call, isNormal),
  };
}

function callErrorCode({ kind, name }: ModelCall, isNormal: boolean): ToolCallErrorCode {
  if (!isNormal || kind === "cut") return "truncated";
  return name === "" ? "nameless" : "malformed";
}

/** Whether a choice ends in such a way that what is held can be trusted. */
function isNormalEnd({ turn, quirks }: Scenario, choice: number): boolean {
  const reasons = turn.choices[choice]?.finishReasons ?? [];
  if (turn.end === "error") return false;
  if (reasons.length > 0) return reasons.every((reason) => NORMAL_REASONS.includes(reason));
  return turn.end === "done" || quirks.shape === "body";
}

/** The code of the error that the response must raise, if it must raise one. */
export function expectedErrorCode({ turn, quirks }: Scenario): string | undefined {
  if (turn.end === "error") return "provider-error";
  const isUnfinished = turn.choices.some(({ finishReasons }) => finishReasons.length === 0);
  const isTruncated = turn.end === "body" && isUnfinished && quirks.shape !== "body";
  return isTruncated ? "truncated-response" : undefined;
}

/** The code of what a stream raised; what is no error of this library stands for itself. */
export function codeOf(error: unknown): unknown {
  return error instanceof ToolCallStreamError ? error.code : error;
}
