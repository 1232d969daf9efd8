import { ByteBuffer } from "../events/bytes.ts";

/**
 * A part of a body; all of them, joined, are the body.
 *
 * - `event`: one event, with its blank line
 * - `tail`: the end of a body without a last blank line
 * - `body`: all of a body that is JSON without any framing
 * - `too-long`: the beginning of an event, or of a JSON body, that is over the limit
 * - `skipped`: bytes without meaning: comments, a byte order mark, the rest of a part that is too long
 */
export interface BodyPart {
  readonly kind: "event" | "tail" | "body" | "too-long" | "skipped";
  readonly bytes: Uint8Array;
}

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const COLON = 0x3a;
/** White space that ends no line. */
const BLANKS: ReadonlySet<number> = new Set([0x09, 0x0b, 0x0c, 0x20]);
const OPENERS: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;

/**
 * Chunks → events, as bytes. It finds the same events as the reading side, which needs no bytes and
 * leaves the lines of an event to its parser.
 */
export class EventBytes {
  #maxEventLength: number;
  /** The event that is not whole yet, and its characters (UTF-16 code units) so far. */
  #held = new ByteBuffer();
  #length = 0;
  /** Whether the event is over the limit: nothing of it is held any more. */
  #isTooLong = false;
  /** Whether a line of the event was no comment. */
  #hasField = false;
  #isAtLineStart = true;
  /** Whether the last byte was a `\r`: a `\n` that follows belongs to it. */
  #endsWithReturn = false;
  /** How many bytes of the byte order mark have matched; 3 also once it can no longer match. */
  #markLength = 0;
  /** JSON without framing begins with a brace or bracket; `undefined` until the first such look. */
  #isJson: boolean | undefined;

  constructor(maxEventLength: number) {
    this.#maxEventLength = maxEventLength;
  }

  /** The parts that end in a chunk, and the bytes that nobody has to wait for. */
  push(chunk: Uint8Array): BodyPart[] {
    const parts: BodyPart[] = [];
    let start = 0;
    let position = 0;
    const pass = (kind: "event" | "skipped"): void => {
      parts.push(this.#pass(kind, chunk.subarray(start, position)));
      start = position;
    };
    while (this.#markLength < BYTE_ORDER_MARK.length && position < chunk.length) {
      if (!this.#isMark(chunk[position])) break;
      position += 1;
      if (this.#markLength === BYTE_ORDER_MARK.length) pass("skipped");
    }
    while (position < chunk.length) {
      if (this.#endsWithReturn) {
        this.#endsWithReturn = false;
        if (chunk[position] === LINE_FEED) {
          position += 1;
          // Its event is out already. The byte goes out too, since a parser may wait for it.
          if (position - start === 1 && this.#held.length === 0) pass("skipped");
          continue;
        }
      }
      const lineStart = position;
      position = this.#readLine(chunk, lineStart);
      if (position > lineStart) this.#look(chunk, lineStart, position);
      if (position === chunk.length) break;

      this.#endsWithReturn = chunk[position] === CARRIAGE_RETURN;
      this.#length += 1;
      position += 1;
      const isBlank = this.#isAtLineStart;
      this.#isAtLineStart = true;
      if (this.#isJson === true) continue;
      if (isBlank) pass("event");
      // Comments are not kept: they come so that no one takes the connection for dead.
      else if (!this.#hasField) pass("skipped");
    }
    return [...parts, ...this.#hold(chunk.subarray(start))];
  }

  /** Whether the next byte begins an event, in a body that is known to have some. */
  get isBetweenEvents(): boolean {
    const isHeld = this.#held.length > 0 || this.#length > 0 || this.#hasField;
    const isCut = !this.#isAtLineStart || this.#endsWithReturn || this.#isTooLong;
    return !isHeld && !isCut && this.#isJson === false;
  }

  /** The body has ended. */
  end(): BodyPart[] {
    if (this.#held.length === 0) return [];
    return [{ kind: this.#isJson === true ? "body" : "tail", bytes: this.#held.take() }];
  }

  /** Whether the byte is one of a byte order mark at the start of the body. */
  #isMark(byte: number | undefined): boolean {
    const isMark = byte === BYTE_ORDER_MARK[this.#markLength];
    if (!isMark && this.#markLength > 0) {
      // The bytes that began like one are the first character of a line; more of it may follow.
      this.#length += 1;
      this.#isAtLineStart = false;
      this.#hasField = true;
      this.#isJson = false;
    }
    this.#markLength = isMark ? this.#markLength + 1 : BYTE_ORDER_MARK.length;
    return isMark;
  }

  /**
   * Counts the characters of a line in UTF-16 units. A character whose UTF-8 begins with `F0` or more
   * has two.
   *
   * @returns where the line ends
   */
  #readLine(chunk: Uint8Array, start: number): number {
    let length = 0;
    let end = start;
    for (; end < chunk.length; end += 1) {
      const byte = chunk[end] as number;
      if (byte === LINE_FEED || byte === CARRIAGE_RETURN) break;
      const isContinuation = (byte & 0xc0) === 0x80;
      if (!isContinuation) length += byte < 0xf0 ? 1 : 2;
    }
    this.#length += length;
    return end;
  }

  /** Looks at the start of a line, or of the rest of one. */
  #look(chunk: Uint8Array, start: number, end: number): void {
    if (this.#isAtLineStart && chunk[start] !== COLON) this.#hasField = true;
    this.#isAtLineStart = false;
    if (this.#isJson !== undefined) return;
    const first = chunk.subarray(start, end).find((byte) => !BLANKS.has(byte));
    if (first !== undefined) this.#isJson = OPENERS.has(first);
  }

  #pass(kind: "event" | "skipped", bytes: Uint8Array): BodyPart {
    const part = this.#partOf(kind, this.#withHeld(bytes), kind === "event" ? 1 : 0);
    if (kind === "event") {
      this.#length = 0;
      this.#isTooLong = false;
      this.#hasField = false;
    }
    return part;
  }

  #hold(bytes: Uint8Array): BodyPart[] {
    if (bytes.length === 0) return [];
    if (this.#isTooLong || this.#length > this.#maxEventLength) {
      return [this.#partOf("skipped", this.#withHeld(bytes), 0)];
    }
    this.#held.append(bytes);
    return [];
  }

  #withHeld(bytes: Uint8Array): Uint8Array {
    if (this.#held.length === 0) return bytes;
    this.#held.append(bytes);
    return this.#held.take();
  }

  /** @param uncounted how many characters at the end may be the line end that makes a line blank */
  #partOf(kind: BodyPart["kind"], bytes: Uint8Array, uncounted: number): BodyPart {
    if (this.#isTooLong) return { kind: "skipped", bytes };
    this.#isTooLong = this.#length - uncounted > this.#maxEventLength;
    return { kind: this.#isTooLong ? "too-long" : kind, bytes };
  }
}
