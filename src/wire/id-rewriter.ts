import { readPayloads } from "../events/payloads.ts";
import { decoder, bytesOf, joined } from "../events/bytes.ts";
import { type EventTaker, Lane } from "../forms/lane.ts";
import { CallIds } from "./call-ids.ts";
import { type BodyPart, EventBytes } from "./event-bytes.ts";
import { EventData } from "./event-data.ts";
import { findSplices, type Splice, spliced } from "./id-splices.ts";
import type { ResolvedWireOptions } from "./wire-options.ts";

const MAX_ASCII = 0x7f;

/**
 * One response: chunks → the same bytes except for the ids of calls. Synchronous; the streams connect
 * it to the platform.
 */
export class IdRewriter implements EventTaker {
  #events: EventBytes;
  #ids: CallIds;
  #lane: Lane;
  /** What goes out for the latest chunk. */
  #output: Uint8Array[] = [];
  /** Bytes of the queue that pass as they are, and have not gone out yet. */
  #runStart = 0;
  #runEnd = 0;

  constructor(options: ResolvedWireOptions) {
    this.#events = new EventBytes(options.maxEventLength);
    this.#ids = new CallIds(options);
    this.#lane = new Lane(this, options.maxEventLength);
  }

  /**
   * @returns the events that are whole now
   * @throws TypeError when the chunk is no bytes, or when there is no id for a call
   */
  push(chunk: unknown): Uint8Array {
    const bytes = bytesOf(chunk);
    const isFirst = this.#lane.queue.length === 0;
    this.#lane.push(bytes);
    return this.#take(isFirst ? bytes : undefined);
  }

  /** The body has ended. */
  end(): Uint8Array {
    this.#lane.flush();
    this.#output.push(this.#rewrite(this.#events.end()));
    return this.#take();
  }

  get isOver(): boolean {
    return false;
  }

  get isBetweenEvents(): boolean {
    return this.#events.isBetweenEvents && !this.#ids.isOver;
  }

  takeKnown(payload: unknown, name: string | undefined, start: number, end: number): boolean {
    const edits = this.#ids.read(payload, name);
    if (this.#ids.error !== undefined) throw this.#ids.error;
    if (edits.size > 0) {
      this.#pass();
      const event = this.#lane.queue.view8(start, end).slice();
      const data = new EventData(event);
      const splices = findSplices(data.bytes, 0, payload, edits);
      this.#output.push(spliced(event, data.placed(splices)));
    } else if (this.#runEnd === start && this.#runStart < start) this.#runEnd = end;
    else {
      this.#pass();
      this.#runStart = start;
      this.#runEnd = end;
    }
    return this.#ids.hasKept;
  }

  takeBytes(chunk: unknown, isLent: boolean): boolean {
    this.#pass();
    const bytes = isLent ? bytesOf(chunk).slice() : bytesOf(chunk);
    const parts = this.#events.push(bytes);
    this.#output.push(this.#rewrite(parts));
    return parts.length === 1 && parts[0]?.kind === "event";
  }

  /** What goes out now. @param chunk goes out as it is, if all of it passes */
  #take(chunk?: Uint8Array): Uint8Array {
    const isAll = this.#runStart === 0 && this.#runEnd === chunk?.length;
    if (chunk !== undefined && isAll && this.#output.length === 0) {
      this.#runEnd = 0;
      return chunk;
    }
    this.#pass();
    const output = joined(this.#output);
    this.#output = [];
    return output;
  }

  /** The run of events that pass ends. */
  #pass(): void {
    if (this.#runEnd === this.#runStart) return;
    this.#output.push(this.#lane.queue.view8(this.#runStart, this.#runEnd).slice());
    this.#runStart = this.#runEnd = 0;
  }

  #rewrite(parts: readonly BodyPart[]): Uint8Array {
    return joined(parts.map((part) => this.#rewritePart(part)));
  }

  #rewritePart({ kind, bytes }: BodyPart): Uint8Array {
    if (kind === "too-long") this.#ids.damage();
    if (kind === "too-long" || kind === "skipped" || this.#ids.isOver) return bytes;
    if (kind === "body") return spliced(bytes, this.#findSplices(kind, undefined, bytes));
    const data = new EventData(bytes);
    if (data.bytes.length === 0) return bytes;
    const splices = this.#findSplices(kind, data.name, data.bytes);
    return splices.length === 0 ? bytes : spliced(bytes, data.placed(splices));
  }

  #findSplices(
    kind: "event" | "tail" | "body",
    name: string | undefined,
    bytes: Uint8Array,
  ): Splice[] {
    const text = decoder.decode(bytes);
    const leading = text.length - text.trimStart().length;
    const offsets = new ByteOffsets(bytes, text);
    const splices: Splice[] = [];
    for (const payload of readPayloads({ kind, name, data: text })) {
      if (payload.type === "damaged-event") this.#ids.damage();
      else if (payload.type === "done") this.#ids.end();
      if (payload.type !== "json") continue;
      const edits = this.#ids.read(payload.value, name);
      if (this.#ids.error !== undefined) throw this.#ids.error;
      if (edits.size === 0) continue;
      const start = offsets.find(leading + payload.start);
      for (const splice of findSplices(bytes, start, payload.value, edits)) splices.push(splice);
    }
    return splices;
  }
}

/**
 * Places in a text → places in its bytes, by counting ASCII: each such byte is one character, also
 * among bytes that are not UTF-8, and these make no others.
 */
class ByteOffsets {
  #bytes: Uint8Array;
  #text: string;
  /** The last place, in the text and in the bytes. */
  #position = 0;
  #offset = 0;

  constructor(bytes: Uint8Array, text: string) {
    this.#bytes = bytes;
    this.#text = text;
  }

  /** @param position that of an ASCII character, behind the last one */
  find(position: number): number {
    let count = 0;
    for (; this.#position < position; this.#position += 1) {
      if (this.#text.charCodeAt(this.#position) <= MAX_ASCII) count += 1;
    }
    for (; ; this.#offset += 1) {
      const isAscii = (this.#bytes[this.#offset] as number) <= MAX_ASCII;
      if (isAscii && count === 0) return this.#offset;
      if (isAscii) count -= 1;
    }
  }
}
