import { createParser } from "eventsource-parser";
import { bytesOf } from "./bytes.ts";
import { Utf8Reader, withoutMarks } from "./utf8.ts";
import { readJson } from "../json/json-value.ts";
import { isObject } from "../json/object.ts";
import { TextBuffer } from "../json/text-buffer.ts";

/** One server-sent event, or a tail or body in place of one. */
export interface SseEvent {
  /**
   * `event`: ended by its blank line. `tail`: the body ended before the blank line. `body`: the body
   * is JSON without any framing, and this is all of it.
   */
  readonly kind: "event" | "tail" | "body";
  readonly name: string | undefined;
  readonly data: string;
  /** Whether some of the bytes were not UTF-8, so that the data is not what was sent. */
  readonly hasReplacedBytes?: true;
}

/** Longer than any excerpt in an error. */
const HEAD_LENGTH = 256;

/** The fields that SSE defines, each behind a character that no field has. */
const FIELDS = ":data:event:id:retry";

/** How lines begin that no event has. */
const ODD_LINES = ["error:", "{", "["];

/** A longer chunk is decoded in slices, see {@link SseReader.push}. */
const SLICE_LENGTH = 8 * 1024;

/**
 * Bytes → events, as WHATWG defines them.
 *
 * The parser is given whole events only. So the result depends neither on the cuts of chunks nor on the
 * parser's version: its two majors differ in partial lines. And the limit counts the characters of an
 * event, not of some buffer.
 */
export class SseReader {
  /** Why nothing more is read. The events before the failure have been returned. */
  failure: "too-long" | "no-event-stream" | undefined;

  readonly maxEventLength: number;
  /** A BOM is text to it, and dropped below, once, for bytes and strings alike. */
  #utf8 = new Utf8Reader();
  #parser: ReturnType<typeof createParser>;
  /** The events of the latest chunk. */
  #events: SseEvent[] = [];
  #hasEvents = false;
  /** The kind of the next events: `event`, until the body ends. */
  #kind: SseEvent["kind"] = "event";
  /** The event that is not whole yet, with `\n` as its only line end. */
  #pending = new TextBuffer();
  /** Whether `#pending` ends with a line end, so that one more makes its blank line. */
  #isAtLineStart = true;
  /** Dropped from the start of the next text: a BOM, or the `\n` of a cut `\r\n`. */
  #ignored = "\uFEFF";
  /** JSON without framing begins with a brace or bracket; `undefined` until the first such look. */
  #isJson: boolean | undefined;
  /** The start of the body, for the error when it is no event stream. */
  head = "";
  #hasForeignLine = false;
  /** The `error:` field of the event that is being parsed. */
  #errorField: string | undefined;

  constructor(maxEventLength: number) {
    this.maxEventLength = maxEventLength;
    this.#parser = createParser({
      onEvent: ({ event, data }) => {
        this.#add(event, data);
      },
      onError: ({ field, value }) => {
        // llama.cpp (before September 2025) sent errors in a field of this name.
        if (field === "error" && value?.startsWith("{")) this.#errorField = value;
        // At the end of the body, a cut field may be the beginning of a known one. An error without a
        // field is about the value of `retry`.
        else if (field !== undefined) {
          this.#hasForeignLine ||= this.#kind === "event" || !FIELDS.includes(`:${field}`);
        }
      },
    });
    // Behind a first line, the parser looks for no BOM: its versions disagree about BOMs.
    this.#parser.feed("\n");
  }

  /**
   * Reads a chunk.
   *
   * @returns the events that ended in it
   * @throws TypeError when the chunk is neither bytes nor text
   */
  push(chunk: unknown): SseEvent[] {
    this.#events = [];
    // Text after bytes: a character that they cut comes first.
    if (typeof chunk === "string") this.#read(this.#utf8.end() + chunk);
    else {
      const bytes = bytesOf(chunk);
      // One character beyond Latin-1 doubles the size of a decoded chunk, and V8 is slow at cutting
      // large strings: ten times slower for chunks of 64 KB.
      for (let start = 0; start < bytes.length; start += SLICE_LENGTH) {
        this.#read(this.#utf8.read(bytes.subarray(start, start + SLICE_LENGTH)));
      }
    }
    return this.#events;
  }

  /** Whether the next byte begins an event, in a body that is known to have some. */
  get isBetweenEvents(): boolean {
    const isHeld = this.#pending.length > 0 || this.#utf8.isCut || this.#ignored !== "";
    return !isHeld && this.#isAtLineStart && this.#isJson === false && this.failure === undefined;
  }

  /** The body has ended. */
  end(): SseEvent[] {
    this.#events = [];
    this.#read(this.#utf8.end());
    if (this.failure === undefined) {
      const rest = this.#pending.take();
      this.#kind = this.#isJson === true ? "body" : "tail";
      if (this.#kind === "body") this.#add(undefined, rest);
      else this.#parse(`${rest}\n\n`);
      if (!this.#hasEvents && this.#hasForeignLine && this.#isJson === false) {
        this.failure = "no-event-stream";
      }
    }
    return this.#events;
  }

  #read(decoded: string): void {
    if (decoded === "" || this.failure !== undefined) return;
    const text = this.#normalised(decoded);
    if (this.head.length < HEAD_LENGTH) this.head += text.slice(0, HEAD_LENGTH);
    if (this.#isJson === undefined && /\S/.test(text)) this.#isJson = /^\s*[{[]/.test(text);
    this.#split(text);
  }

  /** Drops a BOM at the start and makes every line end `\n`; a `\r\n` may be cut in two. */
  #normalised(decoded: string): string {
    const isIgnored = decoded.startsWith(this.#ignored);
    const text = isIgnored ? decoded.slice(this.#ignored.length) : decoded;
    this.#ignored = decoded.endsWith("\r") ? "\n" : "";
    return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  }

  /**
   * Parses the events that end in `text`, and holds the rest. It parses them all at once, which is
   * faster, or one at a time when one of them may exceed the limit.
   */
  #split(text: string): void {
    const isWithin = this.#pending.length + text.length <= this.maxEventLength;
    let rest = text;
    while (this.#isJson !== true && rest !== "" && this.failure === undefined) {
      const isBlank = this.#isAtLineStart && rest.startsWith("\n");
      const blankLine = rest.indexOf("\n\n");
      if (blankLine === -1 && !isBlank) break;
      let end = blankLine + 2;
      if (isBlank && (blankLine === -1 || !isWithin)) end = 1;
      // Without a blank line in the text, `lastIndexOf` would take twenty times as long as `indexOf`.
      else if (isWithin) end = rest.lastIndexOf("\n\n") + 2;
      // The line end that makes the line blank does not count: it may be in the next chunk.
      this.#hold(rest.slice(0, end), 1);
      this.#parse(this.#pending.take());
      rest = rest.slice(end);
    }
    this.#hold(rest);
  }

  #parse(text: string): void {
    // Errors outside of data: a field of that name, or JSON between events. Then events go one by one, for
    // an error counts once the whole event is read.
    const mayHoldError = ODD_LINES.some(
      (line) => text.startsWith(line) || text.includes(`\n${line}`),
    );
    const parts = mayHoldError ? text.split("\n\n").map((part) => `${part}\n\n`) : [text];
    for (const part of parts) {
      if (mayHoldError && isUnframedError(part)) this.#add(undefined, part);
      else this.#parser.feed(part);
      if (this.#errorField !== undefined) this.#add("error", this.#errorField);
      this.#errorField = undefined;
    }
  }

  /** Takes text of the pending event, within the limit. */
  #hold(text: string, uncountedLength = 0): void {
    if (text === "" || this.failure !== undefined) return;
    this.#pending.append(text);
    this.#isAtLineStart = text.endsWith("\n");
    if (this.#pending.length - uncountedLength <= this.maxEventLength) return;
    this.#pending.take();
    this.failure = "too-long";
  }

  #add(name: string | undefined, data: string): void {
    this.#hasEvents = true;
    const text = this.#utf8.hasMarks ? withoutMarks(data) : data;
    const event = { kind: this.#kind, name, data: text };
    this.#events.push(text === data ? event : { ...event, hasReplacedBytes: true });
  }
}

/** Gemini and Vertex end a stream with an error as bare JSON, some lines of it, behind a blank one. */
function isUnframedError(lines: string): boolean {
  const value = /^\s*[{[]/.test(lines) ? readJson(lines) : undefined;
  return [value].flat().some((element) => isObject(element) && "error" in element);
}
