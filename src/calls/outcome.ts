import { PLACEHOLDER } from "../dialects/placeholder.ts";
import { excerptOf } from "../errors.ts";
import { isBlank } from "../json/json-end.ts";
import { isTooDeep, MAX_DEPTH, readJson } from "../json/json-value.ts";
import { parseJson, type ResolvedOptions } from "../options.ts";
import type { ToolCallError, ToolCallErrorCode } from "../types.ts";
import { type ArgumentText, unwrapped } from "./argument-text.ts";
import type { LateText } from "./late-text.ts";

/** The facts of a call that decide how it ends. */
export interface CallFacts {
  readonly name: string;
  readonly isCustom: boolean;
  /** Whether an event was lost while the call was open: a fragment may be missing. */
  readonly isDamaged: boolean;
  /** Whether the server has said that nothing more comes for the call. */
  readonly isClosed: boolean;
  readonly text: ArgumentText;
  /** The object that replaced a held `{}`. */
  readonly replacement: string | undefined;
  /** The text behind the arguments. */
  readonly late: LateText;
  /** Whether a value behind a held `{}` cannot replace it. */
  readonly isContradicted: boolean;
  /** Whether the arguments are not to be trusted, unless a text comes that is said to be all of them. */
  readonly isTainted: boolean;
}

/**
 * How a choice ended. `normal`: the model stopped of its own accord. `cut`: a finish reason says that it
 * did not. `unproven`: nothing says so in earnest.
 */
export type ChoiceEnd = "normal" | "cut" | "unproven";

/** How a call ended, and the arguments that it ended with. */
export type Outcome<Input> = { readonly arguments: string } & (
  | { readonly status: "complete"; readonly input: Input | string; readonly error: undefined }
  | { readonly status: "incomplete"; readonly input: undefined; readonly error: ToolCallError }
);

/** More of a validator's message than a model needs to see. */
const MAX_REASON_LENGTH = 1000;

/**
 * Whether the arguments are final before the response has ended, whatever follows.
 *
 * `{}` and empty text are not: servers open calls with them and send the arguments afterwards. They wait
 * for the end, unless the server has closed the call. Scalars are not either: `12` may become `123`.
 */
export function isFinal({ isClosed, text, replacement }: CallFacts): boolean {
  return isClosed || replacement !== undefined || (text.isClosed && text.hasContent);
}

/** Whether the arguments are `{}` or `[]`: an object behind them may still replace them. */
export function isHeld({ text, replacement }: CallFacts): boolean {
  return text.isClosed && !text.hasContent && replacement === undefined;
}

/** How a call ends when it comes out now. @param isNormalEnd see {@link judge} */
export function outcomeOf<Input>(
  facts: CallFacts,
  isNormalEnd: boolean,
  parse: ResolvedOptions<Input>["parseArguments"],
): Outcome<Input> {
  const { name, isCustom, text } = facts;
  let [given, code, reason] = judge(facts, isNormalEnd);
  let input: Input | string = given;
  if (reason === undefined && !isCustom) {
    try {
      // If one fragment was all of the arguments, their value is known.
      const isKnown = text.value !== undefined && parse === parseJson;
      input = isKnown ? (text.value as Input) : parse(given, { name });
      // Only a long text has room for so many brackets.
      if (given.length > MAX_DEPTH && isTooDeep(parse === parseJson ? input : readJson(given))) {
        [code, reason] = ["malformed", "its arguments are nested too deep"];
      }
      if (isThenable(input)) {
        Promise.resolve(input).catch(() => {}); // Nobody else handles its rejection.
        [code, reason] = ["rejected", "parseArguments returned a promise"];
      }
    } catch (error) {
      reason = reasonOf(error);
    }
  }
  if (reason === undefined)
    return { arguments: given, status: "complete", input, error: undefined };
  const message = `Cannot execute ${excerptOf(name) || "call"}: ${reason}`;
  return { arguments: given, status: "incomplete", input: undefined, error: { code, message } };
}

/** Whether the call would be complete if only its choice had ended normally. */
export function lacksEnd(facts: CallFacts): boolean {
  const [, code, reason] = judge(facts, true);
  return !isFinal(facts) && code === "rejected" && reason === undefined;
}

/** With a reason, the call is incomplete; without, the code is for arguments that do not parse. */
type Verdict = [given: string, code: ToolCallErrorCode, reason?: string];

/** @param isNormalEnd whether the model has ended the choice of the call of its own accord */
function judge(facts: CallFacts, isNormalEnd: boolean): Verdict {
  const { name, isCustom, text, replacement, late } = facts;
  const sent = replacement ?? text.toString();
  if (facts.isDamaged) return [sent, "damaged", "an event was lost"];
  if (facts.isTainted) return [sent, "damaged", "its arguments are not all that was sent"];
  const isReady = isFinal(facts) && name !== "";
  if (!isReady && !isNormalEnd) return [sent, "truncated", "the response was cut"];
  if (name === "") return [sent, "nameless", "no name came"];
  if (isCustom) return [sent, "rejected"];
  if (isBlank(sent)) return [PLACEHOLDER, "rejected"];
  if (isHeld(facts)) {
    // The model meant `{}`, unless text behind it may have been the arguments.
    const { rest, isJunk } = late;
    if (rest.startsWith("{") && !isJunk) return [rest, "truncated", "its arguments do not end"];
    return facts.isContradicted || rest.includes("{")
      ? [sent, "malformed", "what follows its empty arguments cannot be read"]
      : [sent, "rejected"];
  }
  if (text.canEnd) return [unwrapped(sent) ?? sent, "rejected"];
  const repaired = text.repaired();
  if (repaired !== undefined) return [repaired, "rejected"];
  return [sent, text.isBroken ? "malformed" : "truncated"];
}

function reasonOf(error: unknown): string {
  try {
    return excerptOf(`${error instanceof Error ? error.message : error}`, MAX_REASON_LENGTH);
  } catch {
    return "parseArguments threw"; // The error cannot be made a string.
  }
}

function isThenable(value: unknown): boolean {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}
