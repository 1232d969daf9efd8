import { createParser } from "eventsource-parser";
import { bytesOf } from "./bytes.ts";
import { limitExceeded, notAnEventStream, type ToolCallStreamError } from "./errors.ts";
import { TextBuffer } from "./text-buffer.ts";

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
  failure: ToolCallStreamError | undefined;

  #maxEventLength: number;
  // A BOM is text to the decoders and dropped below, once, for bytes and strings alike.
  #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** For what may end inside of a character: a decoder that was once asked to stream stays slow. */
  #streamDecoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** Whether `#streamDecoder` may hold the beginning of a character. */
  #mayHoldBytes = false;
  #parser: ReturnType<typeof createParser>;
  /** What the parser found since the last {@link #take}. */
  #events: SseEvent[] = [];
  #eventCount = 0;
  /** What the parser's next events are: `tail` from the end of the body on. */
  #kind: "event" | "tail" = "event";
  /** The event that is not whole yet, with `\n` as its only line end. */
  #pending = new TextBuffer();
  /** Whether `#pending` ends with a line end, so that one more makes its blank line. */
  #isAtLineStart = true;
  /** Whether the last chunk ended with `\r`: a `\n` that follows belongs to it. */
  #endsWithReturn = false;
  #isAtStart = true;
  /** JSON without framing begins with a brace or bracket; `undefined` until the first such look. */
  #isJson: boolean | undefined;
  /** How the body begins, for the error of one that is no event stream. */
  #head = "";
  #hasForeignLine = false;
  /** The `error:` field of the event that is being parsed. */
  #errorField: string | undefined;

  constructor(maxEventLength: number) {
    this.#maxEventLength = maxEventLength;
    this.#parser = createParser({
      onEvent: ({ event, data }) => {
        this.#add({ kind: this.#kind, name: event, data });
      },
      onError: ({ type, field, value }) => {
        if (type !== "unknown-field") return;
        // llama.cpp (before September 2025) sent errors in a field of this name.
        if (field === "error" && value?.startsWith("{")) {
          this.#errorField = value;
        } else if (!(this.#kind === "tail" && isCutField(field))) this.#hasForeignLine = true;
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
    if (typeof chunk === "string") {
      // Text after bytes: what the decoder still holds stands before it.
      this.#read(this.#heldText() + chunk);
      return this.#take();
    }
    const bytes = bytesOf(chunk);
    // One character beyond Latin-1 doubles the size of a decoded chunk, and large strings are slow
    // to cut up in V8: ten times, for chunks of 64 KB.
    for (let start = 0; start < bytes.length; start += SLICE_LENGTH) {
      this.#read(this.#decode(bytes.subarray(start, start + SLICE_LENGTH)));
    }
    return this.#take();
  }

  /** The body has ended. */
  end(): SseEvent[] {
    this.#read(this.#heldText());
    if (this.failure !== undefined) return this.#take();
    const rest = this.#pending.take();
    if (this.#isJson === true) {
      this.#add({ kind: "body", name: undefined, data: rest });
      return this.#take();
    }
    this.#kind = "tail";
    this.#feed(`${rest}\n\n`);
    if (this.#eventCount === 0 && this.#hasForeignLine && this.#isJson !== undefined) {
      this.failure = notAnEventStream(this.#head);
    }
    return this.#take();
  }

  /**
   * Decodes bytes that may end inside of a character. Those that end with ASCII do not, and Node
   * decodes whole text four times as fast as text of which it has to remember the end.
   */
  #decode(bytes: Uint8Array): string {
    const last = bytes.at(-1);
    const mayBeCut = last !== undefined && last > MAX_ASCII;
    const decoder = mayBeCut || this.#mayHoldBytes ? this.#streamDecoder : this.#decoder;
    this.#mayHoldBytes = mayBeCut;
    return decoder.decode(bytes, { stream: mayBeCut });
  }

  /** What stands for the bytes of a character that never came whole. */
  #heldText(): string {
    this.#mayHoldBytes = false;
    return this.#streamDecoder.decode();
  }

  #read(decoded: string): void {
    const text = this.#normalised(decoded);
    if (text === "" || this.failure !== undefined) return;
    if (this.#head.length < HEAD_LENGTH) this.#head += text.slice(0, HEAD_LENGTH);
    if (this.#isJson === undefined) {
      const first = /\S/.exec(text)?.[0];
      if (first !== undefined) this.#isJson = first === "{" || first === "[";
    }
    if (this.#isJson === true) this.#hold(text);
    else if (this.#pending.length + text.length <= this.#maxEventLength) this.#split(text);
    else this.#splitEach(text);
  }

  /** Without a BOM at the start and with `\n` for every line end: a `\r\n` may be cut in two. */
  #normalised(decoded: string): string {
    if (decoded === "") return decoded;
    let text = decoded;
    if (this.#isAtStart) {
      this.#isAtStart = false;
      if (text.startsWith("\uFEFF")) text = text.slice(1);
    }
    if (this.#endsWithReturn && text.startsWith("\n")) text = text.slice(1);
    this.#endsWithReturn = decoded.endsWith("\r");
    return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
  }

  /** Parses all events that end in `text`, and holds the rest. */
  #split(text: string): void {
    // In text without one, `lastIndexOf` takes twenty times as long to find none.
    const blankLine = text.includes("\n\n") ? text.lastIndexOf("\n\n") : -1;
    let end = blankLine + 2;
    if (blankLine === -1) end = this.#isAtLineStart && text.startsWith("\n") ? 1 : 0;
    if (end > 0) this.#parse(text.slice(0, end));
    if (end < text.length) this.#hold(text.slice(end));
  }

  /** As {@link #split}, one event at a time, where one of them may exceed the limit. */
  #splitEach(text: string): void {
    let start = 0;
    while (start < text.length && this.failure === undefined) {
      let end: number;
      if (this.#isAtLineStart && text.startsWith("\n", start)) end = start + 1;
      else {
        const blankLine = text.indexOf("\n\n", start);
        if (blankLine === -1) break;
        end = blankLine + 2;
      }
      // The line end that makes the line blank does not count: it may be in the next chunk.
      if (this.#pending.length + end - start - 1 > this.#maxEventLength) {
        this.#exceed();
        return;
      }
      this.#parse(text.slice(start, end));
      start = end;
    }
    this.#hold(text.slice(start));
  }

  #parse(ended: string): void {
    this.#pending.append(ended);
    const text = this.#pending.take();
    this.#isAtLineStart = true;
    // The error of an event counts when the rest of it is read: then events go one by one.
    const hasErrorField = text.startsWith("error:") || text.includes("\nerror:");
    const parts = hasErrorField ? text.split("\n\n").map((part) => `${part}\n\n`) : [text];
    for (const part of parts) this.#feed(part);
  }

  #feed(text: string): void {
    this.#parser.feed(text);
    if (this.#errorField === undefined) return;
    this.#add({ kind: this.#kind, name: "error", data: this.#errorField });
    this.#errorField = undefined;
  }

  #hold(text: string): void {
    if (text === "") return;
    this.#pending.append(text);
    this.#isAtLineStart = text.endsWith("\n");
    if (this.#pending.length > this.#maxEventLength) this.#exceed();
  }

  #exceed(): void {
    this.#pending.take();
    this.failure = limitExceeded("maxEventLength", this.#maxEventLength, this.#eventCount);
  }

  #add(event: SseEvent): void {
    this.#eventCount += 1;
    this.#events.push(event);
  }

  #take(): SseEvent[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }
}

/** Whether a field that the end of the body cut is the beginning of one that SSE defines. */
function isCutField(field: string | undefined): boolean {
  return (
    field !== undefined && ["data", "event", "id", "retry"].some((name) => name.startsWith(field))
  );
}
