import { joined } from "../bytes.ts";

/**
 * A part of a body; all of them, joined, are the body.
 *
 * - `event`: one event, with its blank line
 * - `tail`: what the body ended with, without a blank line
 * - `body`: all of a body that is JSON without any framing
 * - `too-long`: the beginning of an event, or of a JSON body, that is over the limit
 * - `skipped`: what says nothing: comments, a byte order mark, the rest of what is too long
 */
export interface BodyPart {
  readonly kind: "event" | "tail" | "body" | "too-long" | "skipped";
  readonly bytes: Uint8Array;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;
const OPENERS: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

/**
 * Chunks → events, as bytes: the same that the reading side finds, which needs no bytes and leaves
 * the lines of an event to its parser.
 */
export class EventBytes {
  #maxEventLength: number;
  /** The event that is not whole yet, and its characters (UTF-16 code units) so far. */
  #held: Uint8Array[] = [];
  #length = 0;
  /** Whether the event is over the limit, so that nothing of it is held any more. */
  #isTooLong = false;
  /** Whether a line of the event was no comment. */
  #hasField = false;
  #isAtLineStart = true;
  /** Whether the last byte was a `\r`: a `\n` that follows belongs to it. */
  #endsWithReturn = false;
  /** How many bytes of a byte order mark the body consists of so far; `undefined` once it has others. */
  #markLength: number | undefined = 0;
  /** JSON without framing begins with a brace or bracket; `undefined` until the first such look. */
  #isJson: boolean | undefined;

  constructor(maxEventLength: number) {
    this.#maxEventLength = maxEventLength;
  }

  /** The parts that a chunk ends, and what of it nobody has to wait for. */
  push(chunk: Uint8Array): BodyPart[] {
    const parts: BodyPart[] = [];
    let start = 0;
    let end = 0;
    const pass = (kind: "event" | "skipped"): void => {
      parts.push(this.#pass(kind, chunk.subarray(start, end)));
      start = end;
    };
    for (const byte of chunk) {
      end += 1;
      const isPartOfEnd = byte === LINE_FEED && this.#endsWithReturn;
      this.#endsWithReturn = byte === CARRIAGE_RETURN;
      if (this.#isMark(byte)) {
        if (this.#markLength === undefined) pass("skipped");
      } else if (isPartOfEnd) {
        // The event that it ends is out: so is its last byte, for a parser may wait for it.
        if (end - start === 1 && this.#held.length === 0) pass("skipped");
      } else {
        this.#count(byte);
        const isBlank = this.#isAtLineStart;
        this.#isAtLineStart = byte === LINE_FEED || byte === CARRIAGE_RETURN;
        if (!this.#isAtLineStart) this.#look(byte, isBlank);
        else if (this.#isJson === true) continue;
        else if (isBlank) pass("event");
        // Comments are not kept: they come so that no one takes the connection for dead.
        else if (!this.#hasField) pass("skipped");
      }
    }
    return [...parts, ...this.#hold(chunk.subarray(start))];
  }

  /** The body has ended. */
  end(): BodyPart[] {
    if (this.#held.length === 0) return [];
    const bytes = joined(this.#held);
    this.#held = [];
    return [{ kind: this.#isJson === true ? "body" : "tail", bytes }];
  }

  /** Whether the byte is one of a byte order mark at the start of the body. */
  #isMark(byte: number): boolean {
    if (this.#markLength === undefined) return false;
    const isMark = byte === BYTE_ORDER_MARK[this.#markLength];
    this.#markLength += 1;
    if (!isMark || this.#markLength === BYTE_ORDER_MARK.length) this.#markLength = undefined;
    return isMark;
  }

  /** Looks at what a line consists of. */
  #look(byte: number, isFirst: boolean): void {
    if (isFirst && byte !== COLON) this.#hasField = true;
    if (byte > SPACE) this.#isJson ??= OPENERS.has(byte);
  }

  /** Counts as UTF-16 does, which has two units for what UTF-8 begins with `F0` or more. */
  #count(byte: number): void {
    const isContinuation = (byte & 0xc0) === 0x80;
    if (!isContinuation) this.#length += byte < 0xf0 ? 1 : 2;
  }

  #pass(kind: "event" | "skipped", bytes: Uint8Array): BodyPart {
    const part = this.#partOf(kind, joined([...this.#held, bytes]), kind === "event" ? 1 : 0);
    this.#held = [];
    if (kind === "event") {
      this.#length = 0;
      this.#isTooLong = false;
      this.#hasField = false;
    }
    return part;
  }

  #hold(bytes: Uint8Array): BodyPart[] {
    if (bytes.length === 0) return [];
    this.#held.push(bytes);
    if (!this.#isTooLong && this.#length <= this.#maxEventLength) return [];
    const part = this.#partOf("skipped", joined(this.#held), 0);
    this.#held = [];
    return [part];
  }

  /** @param uncounted how many characters at the end may be the line end that makes a line blank */
  #partOf(kind: BodyPart["kind"], bytes: Uint8Array, uncounted: number): BodyPart {
    if (this.#isTooLong) return { kind: "skipped", bytes };
    this.#isTooLong = this.#length - uncounted > this.#maxEventLength;
    return { kind: this.#isTooLong ? "too-long" : kind, bytes };
  }
}
