import { decoder, joined } from "../events/bytes.ts";
import type { Splice } from "./id-splices.ts";

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const COLON = 0x3a;

const NEWLINE = Uint8Array.of(LINE_FEED);
const DATA = new TextEncoder().encode("data");
const EVENT = new TextEncoder().encode("event");

/** The value of one `data` field, in the bytes of the event. */
interface Segment {
  readonly start: number;
  readonly end: number;
}

/** The name and the data of one event, and where its data stands. */
export class EventData {
  /** The last name; `undefined` if that is empty. */
  readonly name: string | undefined;
  /** The values of all `data` fields, a line feed between each two. */
  readonly bytes: Uint8Array;
  #segments: Segment[] = [];

  /** @param event with or without its blank line */
  constructor(event: Uint8Array) {
    let name: string | undefined;
    for (let start = 0; start < event.length;) {
      const end = lineEnd(event, start);
      const dataStart = valueStart(event, start, end, DATA);
      if (dataStart !== undefined) this.#segments.push({ start: dataStart, end });
      const nameStart = valueStart(event, start, end, EVENT);
      if (nameStart !== undefined) name = decoder.decode(event.subarray(nameStart, end));
      start = end + 1;
    }
    this.name = name === "" ? undefined : name;
    const values = this.#segments.map(({ start, end }) => event.subarray(start, end));
    this.bytes = joined(values.flatMap((value, line) => (line === 0 ? value : [NEWLINE, value])));
  }

  /** Moves changes of the data to their places in the event. No JSON string crosses a line end. */
  placed(splices: readonly Splice[]): Splice[] {
    const placed: Splice[] = [];
    const queue = splices.values();
    let next = queue.next();
    /** Where the line's data begins in the event's data. */
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

/** Where the line ends, at a `\n` or `\r`: after a `\r\n` stands an empty one more, which is nothing. */
function lineEnd(event: Uint8Array, start: number): number {
  let end = start;
  while (end < event.length && event[end] !== LINE_FEED && event[end] !== CARRIAGE_RETURN) end += 1;
  return end;
}

/** Where the value begins, if the line has this field. */
function valueStart(
  event: Uint8Array,
  start: number,
  end: number,
  field: Uint8Array,
): number | undefined {
  const colon = start + field.length;
  if (colon > end) return undefined;
  for (let offset = 0; offset < field.length; offset += 1) {
    if (event[start + offset] !== field[offset]) return undefined;
  }
  if (colon === end) return end;
  if (event[colon] !== COLON) return undefined;
  return colon + (colon + 1 < end && event[colon + 1] === SPACE ? 2 : 1);
}
