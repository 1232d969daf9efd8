import { ArgumentText, unwrapped } from "./argument-text.ts";
import type { CorrelatedCall } from "./correlation.ts";
import type { WireDialect } from "../dialects/dialect.ts";
import { excerptOf } from "../errors.ts";
import { isBlank } from "../json/json-end.ts";
import { canonicalJson, readJson } from "../json/json-value.ts";
import { LateText } from "./late-text.ts";
import { parseJson, type ResolvedOptions } from "../options.ts";
import type { ToolCallError, ToolCallErrorCode, ToolCallType } from "../types.ts";

/** How a call ended. */
export type Outcome<Input> =
  | { readonly status: "complete"; readonly input: Input | string; readonly error: undefined }
  | { readonly status: "incomplete"; readonly input: undefined; readonly error: ToolCallError };

type Parse<Input> = ResolvedOptions<Input>["parseArguments"];

/** More than a model needs to see of what a validator says. */
const MAX_REASON_LENGTH = 1000;

/** One call: what is known of it while fragments may still come, and how it ends. */
export class Call implements CorrelatedCall {
  readonly id: string;
  readonly dialect: WireDialect;
  readonly choice: number;
  readonly index: number;
  /** The first id that came. */
  providerId: string | undefined;
  name = "";
  type: ToolCallType = "function";
  /** The fields that no one has defined. */
  readonly extra: Map<string, unknown> = new Map();
  /** Whether an event was lost while the call was open: a fragment may be missing. */
  isDamaged = false;
  /** Set once the call has come out: then nothing of it changes any more. */
  isSettled = false;
  /** The characters that count towards `maxArgumentsLength`. */
  size = 0;

  /** Whether its start event is out, and whether a fragment is. */
  isStarted = false;
  isShown = false;

  /** What came after the arguments had closed. */
  late: LateText = new LateText();
  /** The values of this call and of those made of its late text: what is here is a repeat. */
  lineage: Set<string> | undefined;
  /** Whether the arguments came whole, and are not what had come in pieces. */
  isReplaced = false;
  /** Whether a value stands behind a placeholder that cannot take its place. */
  isContradicted = false;

  #text = new ArgumentText();
  #value: string | undefined;
  /** The arguments, where they are not the text that came first: repaired, or no placeholder. */
  #corrected: string | undefined;

  constructor(id: string, dialect: WireDialect, choice: number, index: number) {
    this.id = id;
    this.dialect = dialect;
    this.choice = choice;
    this.index = index;
  }

  get isCustom(): boolean {
    return this.type === "custom";
  }

  get hasText(): boolean {
    return this.#text.length > 0;
  }

  get isComplete(): boolean {
    return this.#text.isWhole;
  }

  /** Whether the call can come out before the end: nothing that follows can belong to it. */
  get isReady(): boolean {
    return this.isFixed && !this.isDamaged && !this.isSettled;
  }

  /** Whether neither its name nor its arguments change any more. */
  get isFixed(): boolean {
    return this.isSettled || (this.#isFinal && this.name !== "");
  }

  /** Whether the fragments so far stay arguments, whatever follows. */
  get isShowable(): boolean {
    return this.isStarted && (this.isCustom || !this.#text.mayBePlaceholder);
  }

  get arguments(): string {
    return this.#corrected ?? this.#text.toString();
  }

  /** Whether the arguments are not what was sent first. */
  get isCorrected(): boolean {
    return this.isReplaced || (this.hasText && this.#corrected !== undefined);
  }

  /** Once the arguments have closed: equal for calls with equal arguments. */
  get value(): string {
    this.#value ??= this.isCustom ? this.arguments : canonicalJson(this.arguments);
    return this.#value;
  }

  /** Takes a name: an equal one is a repeat, a longer one replaces, a piece is appended. */
  addName(name: string): void {
    if (name.startsWith(this.name)) this.name = name;
    else this.name += name;
  }

  /**
   * Takes a fragment of the arguments; what follows the end of them is late.
   *
   * Some servers open a call with `{}` and send the arguments then, so while that is held, an
   * object that closes behind it takes its place.
   *
   * @returns what belongs to the arguments
   */
  append(fragment: string): string {
    let count = 0;
    if (this.isCustom) count = this.#text.appendFree(fragment);
    else if (!this.#text.isClosed) count = this.#text.append(fragment);
    if (count < fragment.length) this.late.append(fragment.slice(count));
    return fragment.slice(0, count);
  }

  /**
   * What a text that is said to be all of the arguments adds to what came of them in pieces. Unfinished
   * pieces yield to it where it is JSON; empty text and `{}` say nothing.
   *
   * @returns `undefined` where it contradicts arguments that are final
   */
  restOf(text: string): string | undefined {
    if (this.isSettled || this.#isFinal) {
      // Most often it is the same text: only another one is parsed and compared as a value.
      if (text === this.arguments || saysNothing(text)) return "";
      return !this.isCustom && canonicalJson(text) === this.value ? "" : undefined;
    }
    const { length } = this.#text;
    if (length > 0 && saysNothing(text)) return "";
    // Only a longer text is compared, which costs no more than it was to read.
    if (text.length >= length && text.startsWith(this.arguments)) return text.slice(length);
    if (!this.isCustom && readJson(text) === undefined) return "";
    this.#text = new ArgumentText();
    this.late = new LateText();
    this.isReplaced = true;
    return text;
  }

  /** Whether the arguments are `{}` or `[]`, which may yet be replaced. */
  get isPlaceholder(): boolean {
    return this.#text.isClosed && !this.#text.hasContent && this.#corrected === undefined;
  }

  replacePlaceholder(text: string): void {
    this.#corrected = text;
    this.#value = undefined;
  }

  /** How the call ends, coming out now: at once where it is ready, else at the end. */
  settle<Input>(parse: Parse<Input>, isNormalEnd: boolean): Outcome<Input> {
    this.isSettled = true;
    this.#value = undefined;
    if (this.isDamaged) return this.#incomplete("damaged", "an event was lost");
    if (this.#isFinal && this.name !== "") return this.#parsed(parse, "rejected");
    if (!isNormalEnd) return this.#incomplete("truncated", "the response was cut");
    if (this.name === "") return this.#incomplete("nameless", "no name came");
    const text = this.arguments;
    if (this.isCustom) return { status: "complete", input: text, error: undefined };
    if (isBlank(text)) this.#corrected = "{}";
    else if (this.isPlaceholder) return this.#settlePlaceholder(parse);
    else if (this.isComplete) this.#corrected = unwrapped(text);
    else {
      this.#corrected = this.#text.repaired();
      if (this.#corrected === undefined) {
        return this.#parsed(parse, this.#text.isBroken ? "malformed" : "truncated");
      }
    }
    return this.#parsed(parse, "rejected");
  }

  /** `{}` is what was meant, unless something came behind it that may have been the arguments. */
  #settlePlaceholder<Input>(parse: Parse<Input>): Outcome<Input> {
    const { rest, isJunk } = this.late;
    if (rest.startsWith("{") && !isJunk) {
      this.#corrected = rest;
      return this.#incomplete("truncated", "its arguments do not end");
    }
    return this.isContradicted || rest.includes("{")
      ? this.#incomplete("malformed", "what follows its empty arguments cannot be read")
      : this.#parsed(parse, "rejected");
  }

  get #isFinal(): boolean {
    return (this.#text.isClosed && this.#text.hasContent) || this.#corrected !== undefined;
  }

  #parsed<Input>(parse: Parse<Input>, failure: ToolCallErrorCode): Outcome<Input> {
    let input: Input;
    try {
      const { value } = this.#text;
      input =
        value !== undefined && parse === parseJson
          ? (value as Input)
          : parse(this.arguments, { name: this.name });
    } catch (error) {
      return this.#incomplete(failure, reasonOf(error));
    }
    if (isThenable(input)) {
      Promise.resolve(input).catch(() => {}); // A rejection of it is nobody's.
      return this.#incomplete("rejected", "parseArguments returned a promise");
    }
    return { status: "complete", input, error: undefined };
  }

  #incomplete(code: ToolCallErrorCode, reason: string): Outcome<never> {
    const message = `Cannot execute ${excerptOf(this.name) || "call"}: ${reason}`;
    return { status: "incomplete", input: undefined, error: { code, message } };
  }
}

function saysNothing(text: string): boolean {
  return isBlank(text) || text === "{}";
}

function reasonOf(error: unknown): string {
  try {
    return excerptOf(`${error instanceof Error ? error.message : error}`, MAX_REASON_LENGTH);
  } catch {
    return "parseArguments threw"; // What cannot be made a string.
  }
}

function isThenable(value: unknown): boolean {
  return typeof (value as { then?: unknown } | null | undefined)?.then === "function";
}
