import { createParser } from "eventsource-parser";
import { bytesOf, decoder } from "./bytes.ts";
import { TextBuffer } from "../json/text-buffer.ts";

/** One server-sent event, or what stands in for one. */
export interface SseEvent {
  /**
   * `event`: ended by its blank line. `tail`: the body ended before the blank line. `body`: the body
   * is JSON without any framing, and this is all of it.
   */
  readonly kind: "event" | "tail" | "body";
  readonly name: string | undefined;
  readonly data: string;
}

/** Longer than any excerpt in an error. */
const HEAD_LENGTH = 256;

const MAX_ASCII = 0x7f;

/** The fields that SSE defines, each behind a character that no field has. */
const FIELDS = ":data:event:id:retry";

/** A decoded chunk beyond this is read in slices, see {@link SseReader.push}. */
const SLICE_LENGTH = 8 * 1024;

/**
 * Bytes → events, as WHATWG defines them.
 *
 * The parser is given whole events only. So neither where its two major versions differ in partial
 * lines nor where chunks are cut can change what is read, and the limit counts the characters of an
 * event, not those of some buffer.
 */
export class SseReader {
  /** Why nothing more is read. What was complete before it has been returned. */
  failure: "too-long" | "no-event-stream" | undefined;

  readonly maxEventLength: number;
  /**
   * For what may end inside of a character: a decoder that was once asked to stream stays slow. A BOM is
   * text to it, and dropped below, once, for bytes and strings alike.
   */
  #streamDecoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** Whether `#streamDecoder` may hold the beginning of a character. */
  #mayHoldBytes = false;
  #parser: ReturnType<typeof createParser>;
  /** What the latest chunk has brought. */
  #events: SseEvent[] = [];
  #hasEvents = false;
  /** What the next events are: not `event` from the end of the body on. */
  #kind: SseEvent["kind"] = "event";
  /** The event that is not whole yet, with `\n` as its only line end. */
  #pending = new TextBuffer();
  /** Whether `#pending` ends with a line end, so that one more makes its blank line. */
  #isAtLineStart = true;
  /** Dropped from the start of the next text: a BOM, or the `\n` of a cut `\r\n`. */
  #ignored = "\uFEFF";
  /** JSON without framing begins with a brace or bracket; `undefined` until the first such look. */
  #isJson: boolean | undefined;
  /** How the body begins, for the error of one that is no event stream. */
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
        // A field that the end of the body cut may be the beginning of a known one. Without a field,
        // the error is the value of `retry`.
        else if (field !== undefined) {
          this.#hasForeignLine ||= this.#kind === "event" || !FIELDS.includes(`:${field}`);
        }
      },
    });
    // Behind a first line, the parser looks for no BOM: its versions do not agree on what is one.
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
    // Text after bytes: what the decoder still holds stands before it.
    if (typeof chunk === "string") this.#read(this.#decode() + chunk);
    else {
      const bytes = bytesOf(chunk);
      // One character beyond Latin-1 doubles the size of a decoded chunk, and large strings are slow
      // to cut up in V8: ten times, for chunks of 64 KB.
      for (let start = 0; start < bytes.length; start += SLICE_LENGTH) {
        this.#read(this.#decode(bytes.subarray(start, start + SLICE_LENGTH)));
      }
    }
    return this.#events;
  }

  /** The body has ended. */
  end(): SseEvent[] {
    this.#events = [];
    this.#read(this.#decode());
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

  /**
   * Decodes bytes that may end inside of a character; without any, gives what stands for the bytes of
   * one that never came whole. Bytes that end with ASCII are not cut, and Node decodes whole text four
   * times as fast as text of which it has to remember the end.
   */
  #decode(bytes?: Uint8Array): string {
    const mayBeCut = (bytes?.at(-1) ?? 0) > MAX_ASCII;
    const fitting = mayBeCut || this.#mayHoldBytes ? this.#streamDecoder : decoder;
    this.#mayHoldBytes = mayBeCut;
    return fitting.decode(bytes, { stream: mayBeCut });
  }

  #read(decoded: string): void {
    if (decoded === "" || this.failure !== undefined) return;
    const text = this.#normalised(decoded);
    if (this.head.length < HEAD_LENGTH) this.head += text.slice(0, HEAD_LENGTH);
    if (this.#isJson === undefined && /\S/.test(text)) this.#isJson = /^\s*[{[]/.test(text);
    this.#split(text);
  }

  /** Without a BOM at the start and with `\n` for every line end: a `\r\n` may be cut in two. */
  #normalised(decoded: string): string {
    const isIgnored = decoded.startsWith(this.#ignored);
    const text = isIgnored ? decoded.slice(this.#ignored.length) : decoded;
    this.#ignored = decoded.endsWith("\r") ? "\n" : "";
    return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  }

  /**
   * Parses the events that end in `text`, and holds the rest: all at once, which is faster, or one at a
   * time where one of them may exceed the limit.
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
      // In text without one, it takes twenty times as long to find none.
      else if (isWithin) end = rest.lastIndexOf("\n\n") + 2;
      // The line end that makes the line blank does not count: it may be in the next chunk.
      this.#hold(rest.slice(0, end), 1);
      this.#parse(this.#pending.take());
      rest = rest.slice(end);
    }
    this.#hold(rest);
  }

  #parse(text: string): void {
    // The error of an event counts when the rest of it is read: then events go one by one.
    const hasErrorField = text.startsWith("error:") || text.includes("\nerror:");
    const parts = hasErrorField ? text.split("\n\n").map((part) => `${part}\n\n`) : [text];
    for (const part of parts) {
      this.#parser.feed(part);
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
    this.#events.push({ kind: this.#kind, name, data });
  }
}
