import { ArgumentText, unwrapped } from "./argument-text.ts";
import type { CorrelatedCall } from "./correlation.ts";
import { excerptOf } from "./errors.ts";
import { canonicalJson } from "./json-value.ts";
import { LateText } from "./late-text.ts";
import { TextBuffer } from "./text-buffer.ts";
import type {
  Dialect,
  JsonObject,
  ToolCallError,
  ToolCallErrorCode,
  ToolCallType,
} from "./types.ts";

/** How a call ended. */
export type Outcome<Input> =
  | { readonly status: "complete"; readonly arguments: string; readonly input: Input | string }
  | { readonly status: "incomplete"; readonly arguments: string; readonly error: ToolCallError };

/** Makes the input of a call of its argument text, or throws. */
export type Parse<Input> = (text: string, call: { readonly name: string }) => Input;

/** More than a model needs to see of what a validator says. */
const MAX_REASON_LENGTH = 1000;

/** One call: what is known of it while fragments may still come, and how it ends. */
export class Call implements CorrelatedCall {
  readonly id: string;
  readonly dialect: Dialect;
  readonly choice: number;
  readonly index: number;
  /** The first id that came. */
  providerId: string | undefined;
  name = "";
  type: ToolCallType = "function";
  extra: JsonObject | undefined;
  /** Whether an event was lost while the call was open: a fragment may be missing. */
  isDamaged = false;
  /** Set once the call has come out: then nothing of it changes any more. */
  isSettled = false;

  /** Whether its start event is out. */
  isStarted = false;
  /** Fragments that wait for the start event, or until they can no longer be a placeholder. */
  unshown = "";
  /** Whether a fragment event is out. */
  isShown = false;
  /** The characters that count towards `maxArgumentsLength`. */
  size = 0;
  /** What came after the arguments had closed. */
  readonly late: LateText = new LateText();
  /** The arguments as they came out, repaired or not. */
  settledText = "";
  /** The values of this call and of those made of its late text: what is here is a repeat. */
  lineage: Set<string> | undefined;

  #text = new ArgumentText();
  #freeText = new TextBuffer();
  #value: string | undefined;

  constructor(id: string, dialect: Dialect, choice: number, index: number) {
    this.id = id;
    this.dialect = dialect;
    this.choice = choice;
    this.index = index;
  }

  get isCustom(): boolean {
    return this.type === "custom";
  }

  get hasText(): boolean {
    return (this.isCustom ? this.#freeText : this.#text).length > 0;
  }

  get isComplete(): boolean {
    return !this.isCustom && this.#text.isWhole;
  }

  /** What {@link settledText} stands for: equal for calls with equal arguments. */
  get value(): string {
    this.#value ??= this.isCustom ? this.settledText : canonicalJson(this.settledText);
    return this.#value;
  }

  /** Whether the arguments that came out are not the text that was sent. */
  get isRepaired(): boolean {
    return !this.isCustom && this.hasText && this.settledText !== this.#text.toString();
  }

  /** Whether the call can come out before the end: nothing that follows can belong to it. */
  get isReady(): boolean {
    return this.#hasClosed && this.name !== "" && !this.isDamaged && !this.isSettled;
  }

  /** Whether the fragments so far stay arguments, whatever follows. */
  get isShowable(): boolean {
    return this.isStarted && (this.isCustom || !this.#text.mayBePlaceholder);
  }

  /** Takes a name: an equal one is a repeat, a longer one replaces, a piece is appended. */
  addName(name: string): void {
    if (this.name === name) return;
    if (name.startsWith(this.name)) this.name = name;
    else if (!this.isComplete) this.name += name;
  }

  /**
   * Takes a fragment of the arguments; what follows the end of them is late.
   *
   * A `{}` that is still held gives way to a value behind it: some servers open calls with one.
   *
   * @returns what was taken, and whether it replaced a placeholder
   */
  append(fragment: string): { taken: string; hasReplaced: boolean } {
    if (this.isCustom) {
      this.#freeText.append(fragment);
      return { taken: fragment, hasReplaced: false };
    }
    if (this.#hasClosed) {
      this.late.append(fragment);
      return { taken: "", hasReplaced: false };
    }
    let hasReplaced = false;
    let rest = fragment;
    for (;;) {
      const count = this.#text.append(rest);
      if (count === rest.length) return { taken: rest, hasReplaced };
      const taken = rest.slice(0, count);
      rest = rest.slice(count);
      if (!this.#text.isPlaceholder || !/^\s*[{["]/.test(rest)) {
        this.late.append(rest);
        return { taken, hasReplaced };
      }
      this.#text = new ArgumentText();
      rest = rest.trimStart();
      hasReplaced = true;
    }
  }

  /** How the call ends if it comes out now: before the end of the response, or at it. */
  outcome<Input>(parse: Parse<Input>, isNormalEnd: boolean): Outcome<Input> {
    const text = (this.isCustom ? this.#freeText : this.#text).toString();
    if (this.isDamaged) return incomplete(text, "damaged", this.#problem("an event was lost"));
    if (this.#hasClosed && this.name !== "") return this.#parsed(parse, text, "rejected");
    if (!isNormalEnd) {
      return incomplete(text, "truncated", this.#problem("the response did not end normally"));
    }
    if (this.name === "") return incomplete(text, "nameless", this.#problem("no name came"));
    if (this.isCustom) return { status: "complete", arguments: text, input: text };
    if (text.trim() === "") return this.#parsed(parse, "{}", "rejected");
    if (this.#text.isPlaceholder && this.late.rest.includes("{")) {
      const problem = this.#problem("its arguments follow a placeholder and cannot be read");
      return incomplete(text, "malformed", problem);
    }
    if (this.#text.isWhole) return this.#parsed(parse, unwrapped(text) ?? text, "rejected");
    const repaired = this.#text.repaired();
    if (repaired !== undefined) return this.#parsed(parse, repaired, "rejected");
    return this.#parsed(parse, text, this.#text.isBroken ? "malformed" : "truncated");
  }

  /** Closed for good: a non-empty object or array. */
  get #hasClosed(): boolean {
    return !this.isCustom && this.#text.isFinal;
  }

  #parsed<Input>(parse: Parse<Input>, text: string, failure: ToolCallErrorCode): Outcome<Input> {
    let input: Input;
    try {
      input = parse(text, { name: this.name });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      return incomplete(text, failure, this.#problem(excerptOf(reason, MAX_REASON_LENGTH)));
    }
    if (isThenable(input)) {
      input.then(undefined, () => {}); // A rejection of it is nobody's.
      return incomplete(text, "rejected", this.#problem("parseArguments returned a promise"));
    }
    return { status: "complete", arguments: text, input };
  }

  #problem(reason: string): string {
    return `Cannot execute ${this.name === "" ? "call" : this.name}: ${reason}`;
  }
}

function incomplete(text: string, code: ToolCallErrorCode, message: string): Outcome<never> {
  return { status: "incomplete", arguments: text, error: { code, message } };
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    typeof value === "object" &&
    value !== null &&
    "then" in value &&
    typeof value.then === "function"
  );
}
