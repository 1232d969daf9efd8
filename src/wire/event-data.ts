import { joined } from "../bytes.ts";
import type { Splice } from "./id-splices.ts";

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;

const NEWLINE = Uint8Array.of(LINE_FEED);

/** The value of one `data` field, in the bytes of the event. */
interface Segment {
  readonly start: number;
  readonly end: number;
}

/** What the lines of one event say, and where. */
export class EventData {
  /** The last name, `undefined` where that is empty. */
  readonly name: string | undefined;
  /** The values of all `data` fields, a line feed between each two. */
  readonly bytes: Uint8Array;
  #segments: Segment[] = [];

  /** @param event with or without its blank line */
  constructor(event: Uint8Array) {
    let name: string | undefined;
    for (let start = 0; start < event.length;) {
      const end = lineEnd(event, start);
      const { field, valueStart } = readField(event, start, end);
      if (field === "data") this.#segments.push({ start: valueStart, end });
      else if (field === "event") name = decoder.decode(event.subarray(valueStart, end));
      start = end + 1;
    }
    this.name = name === "" ? undefined : name;
    const values = this.#segments.map(({ start, end }) => event.subarray(start, end));
    this.bytes = joined(values.flatMap((value, line) => (line === 0 ? [value] : [NEWLINE, value])));
  }

  /** Where the changes to the data are in the event. No JSON string goes over the end of a line. */
  placed(splices: readonly Splice[]): Splice[] {
    const placed: Splice[] = [];
    const queue = splices.values();
    let next = queue.next();
    /** Where the data of the line begins in that of the event. */
    let before = 0;
    for (const segment of this.#segments) {
      const length = segment.end - segment.start;
      const shift = segment.start - before;
      while (!next.done && next.value.start <= before + length) {
        const { start, end, text } = next.value;
        placed.push({ start: start + shift, end: end + shift, text });
        next = queue.next();
      }
      before += length + 1;
    }
    return placed;
  }
}

const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Where the line ends, at a `\n` or `\r`: after a `\r\n` stands an empty one more, which is nothing. */
function lineEnd(event: Uint8Array, start: number): number {
  let end = start;
  while (end < event.length && event[end] !== LINE_FEED && event[end] !== CARRIAGE_RETURN) end += 1;
  return end;
}

/** @returns the field, where it is one that counts, and where its value begins */
function readField(
  event: Uint8Array,
  start: number,
  end: number,
): { field: string | undefined; valueStart: number } {
  for (const field of ["data", "event"]) {
    const colon = start + field.length;
    if (colon > end || !startsWith(event, start, field)) continue;
    if (colon === end) return { field, valueStart: end };
    if (event[colon] !== COLON) continue;
    const isSpaced = colon + 1 < end && event[colon + 1] === SPACE;
    return { field, valueStart: colon + (isSpaced ? 2 : 1) };
  }
  return { field: undefined, valueStart: end };
}

function startsWith(event: Uint8Array, start: number, ascii: string): boolean {
  for (let position = 0; position < ascii.length; position += 1) {
    if (event[start + position] !== ascii.charCodeAt(position)) return false;
  }
  return true;
}
