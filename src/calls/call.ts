import type { CallDelta } from "../dialects/delta.ts";
import type { ResponseDialect } from "../dialects/dialect.ts";
import { PLACEHOLDER } from "../dialects/placeholder.ts";
import { isBlank } from "../json/json-end.ts";
import { canonicalJson, jsonText, readJson } from "../json/json-value.ts";
import type { JsonObject } from "../json/object.ts";
import type { ResolvedOptions } from "../options.ts";
import { ArgumentText } from "./argument-text.ts";
import type { CorrelatedCall } from "./correlation.ts";
import { LateText } from "./late-text.ts";
import { type CallFacts, isFinal, isHeld, lacksEnd, type Outcome, outcomeOf } from "./outcome.ts";

/** A call to which fragments may still come. */
class OwnCall implements CorrelatedCall, CallFacts {
  readonly id: string;
  readonly dialect: ResponseDialect;
  readonly choice: number;
  readonly index: number;
  /** The first id that came. */
  providerId: string | undefined;
  name = "";
  isCustom = false;
  isDamaged = false;
  isClosed = false;
  text: ArgumentText = new ArgumentText();
  replacement: string | undefined;
  late: LateText = new LateText();
  isContradicted = false;
  isTainted = false;
  /** Whether it has come out: it never changes after that. */
  isSettled = false;

  #size = 0;
  #extra = new Map<string, unknown>();
  /** The arguments that it came out with. */
  #given: string | undefined;
  #value: string | undefined;
  /** The values of this call and of the calls made of its late text: to recognise a repeat. */
  #lineage: Set<string> | undefined;
  /** Whether its start event is out, and whether a fragment is. */
  #isStarted = false;
  #isShown = false;
  /** Whether one whole text has replaced the different pieces that came before. */
  #isReplaced = false;

  /** @param index its position among the calls of its choice */
  constructor(id: string, dialect: ResponseDialect, choice: number, index: number) {
    this.id = id;
    this.dialect = dialect;
    this.choice = choice;
    this.index = index;
  }

  get hasText(): boolean {
    return this.text.length > 0;
  }

  /** Whether its argument text may be whole: a held `{}` counts. */
  get hasWholeText(): boolean {
    return this.text.canEnd;
  }

  /** Whether the call can come out before the end: nothing later can belong to it. */
  get isReady(): boolean {
    return this.isFixed && !this.isDamaged && !this.isTainted && !this.isSettled;
  }

  /** Whether neither its name nor its arguments change any more. */
  get isFixed(): boolean {
    return this.isSettled || (this.name !== "" && isFinal(this));
  }

  /** Whether its arguments are `{}` or `[]`, which may yet be replaced. */
  get isHeld(): boolean {
    return !this.isSettled && isHeld(this);
  }

  get arguments(): string {
    return this.#given ?? this.replacement ?? this.text.toString();
  }

  /** Whether the arguments differ from the text that came first. */
  get isCorrected(): boolean {
    return this.#isReplaced || (this.hasText && this.arguments !== this.text.toString());
  }

  /** Whether the replaced text has been shown: it cannot be taken back. */
  get hasShownOther(): boolean {
    return this.#isReplaced && this.#isShown;
  }

  /** Equal for calls with equal arguments, once these have closed. */
  get value(): string {
    this.#value ??= this.isCustom ? this.arguments : canonicalJson(this.arguments);
    return this.#value;
  }

  /** Whether a choice that ended normally is all that it lacks. */
  get lacksEnd(): boolean {
    return lacksEnd(this);
  }

  /** Whether nothing stands behind its arguments but repeats and, in some dialects, further calls. */
  get #isAlone(): boolean {
    const { values, rest } = this.late;
    const isKnown = (text: string): boolean =>
      canonicalJson(text) === this.value || (this.dialect.hasFurtherCalls && text.startsWith("{"));
    return rest === "" && values.every(isKnown);
  }

  /** The fields that no one has defined. */
  get extra(): JsonObject | undefined {
    return this.#extra.size > 0 ? Object.fromEntries(this.#extra) : undefined;
  }

  /**
   * Counts characters towards `maxArgumentsLength`.
   *
   * @returns how many there are now
   */
  grow(length: number): number {
    this.#size += length;
    return this.#size;
  }

  /**
   * Takes all that a delta says of the call, except the fragment.
   *
   * A name that comes again is a repeat, a longer one replaces, a piece is appended. Some servers repeat
   * unknown fields on every fragment: only new ones count.
   *
   * @returns how many characters are new
   */
  learn({ id, name = this.name, isCustom = false, extra }: Partial<CallDelta>): number {
    let growth = 0;
    this.providerId ??= id;
    // Arguments that have begun do not become free text.
    this.isCustom ||= isCustom && !this.hasText;
    for (const key in extra) growth += this.#addExtra(key, extra[key]);
    const { name: before } = this;
    this.name = name.startsWith(before) ? name : before + name;
    // A stream that is resumed begins in the middle of the arguments: an object in them is not all.
    this.isTainted ||= before !== name && before === "" && !this.#isAlone;
    return growth + (name === before ? 0 : name.length);
  }

  /** @returns how many characters are new */
  #addExtra(key: string, value: unknown): number {
    const text = jsonText(value);
    if (this.#extra.has(key) && jsonText(this.#extra.get(key)) === text) return 0;
    this.#extra.set(key, value);
    return key.length + text.length;
  }

  /** An event was lost. It may have held a fragment of this call. */
  damage(): void {
    this.isDamaged = true;
  }

  /** Something has come that makes the arguments doubtful. */
  taint(): void {
    this.isTainted = true;
  }

  /** Nothing more comes for it. */
  close(): void {
    this.isClosed = true;
  }

  /** @returns whether its start event is to go out now */
  start(): boolean {
    const isFirst = !this.#isStarted;
    this.#isStarted = true;
    return isFirst;
  }

  /**
   * Takes a fragment of the arguments; text behind their end is late.
   *
   * Some servers open a call with `{}` and send the arguments afterwards. While that `{}` is held, an
   * object that closes behind it replaces it.
   *
   * @returns the part of the fragment that belongs to the arguments
   */
  append(fragment: string): string {
    const { isCustom, text, late } = this;
    let count = 0;
    if (isCustom) count = text.appendFree(fragment);
    else if (!text.isClosed) count = text.append(fragment);
    if (count < fragment.length) late.append(fragment.slice(count));
    return fragment.slice(0, count);
  }

  /**
   * The text to show once a fragment has come, or the call comes out: none while the arguments may be a
   * placeholder, then all that has waited.
   */
  show(fragment: string): string {
    const { isCustom, text } = this;
    const isOpen = !this.isSettled && !isCustom && text.mayBePlaceholder;
    if (!this.#isStarted || isOpen) return "";
    if (this.#isShown) return fragment;
    const shown = this.arguments;
    this.#isShown = shown !== "";
    return shown;
  }

  /**
   * Takes a text that the server calls all of the arguments; pieces may have come before. While the call
   * is not out, a text that is JSON replaces the pieces that it contradicts; empty text and `{}` say
   * nothing.
   *
   * @param isOpening whether the text came with the start of the call: pieces then count before it
   * @returns the text to add; `undefined` when it contradicts arguments that stay
   */
  restOf(text: string, isOpening = false): string | undefined {
    const { text: pieces, late, isCustom } = this;
    if (isOpening && !(late.isEmpty && pieces.mayBePlaceholder)) return "";
    const isFixed = this.isSettled || isFinal(this);
    if ((isFixed || pieces.length > 0) && saysNothing(text)) return "";
    if (isFixed) {
      // Most often the text is the same. Only a different one is parsed and compared as a value.
      const isSame = text === this.arguments || (!isCustom && canonicalJson(text) === this.value);
      this.isTainted &&= !isSame;
      if (isSame) return "";
      if (this.isSettled || readJson(text) === undefined) return undefined;
    } else if (text.length >= pieces.length && text.startsWith(this.arguments)) {
      // Only a longer text is compared: that costs no more than reading it did.
      return text.slice(pieces.length);
    } else if (!isCustom && readJson(text) === undefined) return "";
    this.isTainted = false;
    this.replacement = undefined;
    this.#value = undefined;
    this.text = new ArgumentText();
    this.late = new LateText();
    this.#isReplaced = true;
    return text;
  }

  /** Whether this call, or a call made of its late text, has had the value. */
  hasHad(value: string): boolean {
    this.#lineage ??= new Set([this.value]);
    return this.#lineage.has(value);
  }

  /** Remembers a value, see {@link hasHad}. */
  remember(value: string): void {
    this.#lineage?.add(value);
  }

  /** The object replaces a held `{}`. */
  replacePlaceholder(text: string): void {
    this.replacement = text;
    this.#value = undefined;
  }

  /** A value behind a held `{}` cannot replace it. */
  contradict(): void {
    this.isContradicted = true;
  }

  /** The call comes out: as soon as it is ready, else at the end. */
  settle<Input>(
    parse: ResolvedOptions<Input>["parseArguments"],
    isNormalEnd: boolean,
  ): Outcome<Input> {
    const outcome = outcomeOf(this, isNormalEnd, parse);
    this.isSettled = true;
    this.#given = outcome.arguments;
    this.#value = undefined;
    return outcome;
  }
}

/** A call as all other code sees it: only the call itself writes to it. */
export type Call = Readonly<Omit<OwnCall, "text">>;

export const Call: new (...args: ConstructorParameters<typeof OwnCall>) => Call = OwnCall;

function saysNothing(text: string): boolean {
  return isBlank(text) || text === PLACEHOLDER;
}
