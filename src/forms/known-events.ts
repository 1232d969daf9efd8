import { Form, Sample, viewOf } from "./form.ts";
import { readNumber, readText } from "./values.ts";

/** What servers alternate between: text, reasoning, calls, each with what may be left out. */
const MAX_FORMS = 8;

/** An event of no known form costs as much as so many of a known one save. */
const MISS_COST = 4;
/** Where forms change all the time, one stops looking. */
const MAX_COST = 256;

/** More places than any event has: most are in lists of numbers. */
const MAX_PLACES = 64;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;
const MAX_ASCII = 0x7f;

const CLOSE = /* @__PURE__ */ viewOf("}\n\n");

/** By byte: whether it can be in a number. */
const IN_NUMBER: readonly boolean[] = /* @__PURE__ */ Array.from({ length: 256 }, (_, byte) =>
  "-+.eE0123456789".includes(String.fromCharCode(byte)),
);

/** Events that are alike: the latest that was parsed, and their form once there have been two. */
interface Kind {
  readonly sample: Sample;
  /** The positions of the values that have differed. */
  readonly variable: readonly number[];
  readonly form: Form | undefined;
}

/**
 * Reads events that differ from earlier ones only in the values of some strings and numbers, without
 * parsing them: a streamed response is thousands of such events.
 *
 * Exact, whatever the values mean: the bytes around them are the same, so the payload is, but for these
 * values. Without this room everything works, at less speed.
 */
export class KnownEvents {
  /** That of the latest event first: what a response has begun to say, it mostly goes on with. */
  #kinds: Kind[] = [];
  #cost = 0;
  /** Where the values of the event are, and of what kind: start, end, flags of each. */
  #values: number[] = [];

  /** Whether what was read last is the beginning of an event of a known form. */
  isCut = false;
  /** Where the event that was read last ends. */
  end = 0;

  /** Whether it pays to look. */
  get isUseful(): boolean {
    return this.#cost < MAX_COST;
  }

  /** @returns the form of the event that begins at `start`, filled in, if all of it is there and known */
  read(bytes: DataView, start: number, end: number): Form | undefined {
    this.isCut = false;
    for (let index = 0; index < this.#kinds.length; index += 1) {
      const kind = this.#kinds[index] as Kind;
      const { form } = kind;
      if (form === undefined || !this.#match(form, bytes, start, end)) continue;
      if (!this.#fill(form, bytes)) continue;
      if (index > 0) {
        this.#kinds.splice(index, 1);
        this.#kinds.unshift(kind);
      }
      if (this.#cost > 0) this.#cost -= 1;
      return form;
    }
    return undefined;
  }

  /** An event of no known form came. */
  miss(): void {
    this.#cost += MISS_COST;
  }

  /** Remembers the event, whose like may come again. */
  learn(event: string): void {
    const sample = Sample.of(event);
    if (sample === undefined) return;
    for (const [index, kind] of this.#kinds.entries()) {
      const differences = kind.sample.differences(sample);
      if (differences === undefined) continue;
      this.#kinds.splice(index, 1);
      const variable = [...new Set([...kind.variable, ...differences])].sort((a, b) => a - b);
      const form = variable.length > MAX_PLACES ? undefined : Form.of(sample, variable);
      if (form !== undefined) this.#kinds.unshift({ sample, variable, form });
      return;
    }
    this.#kinds = [
      { sample, variable: [], form: undefined },
      ...this.#kinds.slice(0, MAX_FORMS - 1),
    ];
  }

  /** Compares all that is between the values, and finds these. */
  #match(form: Form, bytes: DataView, start: number, end: number): boolean {
    const { parts, isText } = form;
    const last = isText.length;
    let position = start;
    for (let index = 0; index <= last; index += 1) {
      const part = parts[index] as DataView;
      if (!isAt(bytes, position, end, part)) return false;
      position += part.byteLength;
      if (position >= end) return this.#cut();
      if (index === last) break;
      const value = position;
      let flags = 0;
      if (isText[index]) {
        for (; ; position += 1) {
          if (position >= end) return this.#cut();
          const byte = bytes.getUint8(position);
          if (byte === QUOTE) break;
          if (byte < SPACE) return false;
          if (byte === BACKSLASH) {
            flags |= IS_ESCAPED;
            position += 1;
          } else if (byte > MAX_ASCII) flags |= IS_WIDE;
        }
      } else {
        while (position < end && IN_NUMBER[bytes.getUint8(position)]) position += 1;
        if (position >= end) return this.#cut();
      }
      this.#values[3 * index] = value;
      this.#values[3 * index + 1] = position;
      this.#values[3 * index + 2] = flags;
    }
    while (position < end && bytes.getUint8(position) === SPACE) position += 1;
    if (!isAt(bytes, position, end, CLOSE)) return false;
    this.end = position + CLOSE.byteLength;
    return this.end <= end || this.#cut();
  }

  /** @returns whether all values are what they look like */
  #fill(form: Form, bytes: DataView): boolean {
    const { isText } = form;
    for (let index = 0; index < isText.length; index += 1) {
      const start = this.#values[3 * index] as number;
      const end = this.#values[3 * index + 1] as number;
      const flags = this.#values[3 * index + 2] as number;
      const value = isText[index]
        ? readText(bytes, start, end, (flags & IS_WIDE) === 0, (flags & IS_ESCAPED) === 0)
        : readNumber(bytes, start, end);
      if (value === undefined) return false;
      form.fill(index, value);
    }
    return true;
  }

  #cut(): false {
    this.isCut = true;
    return false;
  }
}

/** What is in a string: characters beyond ASCII, and escapes. */
const IS_WIDE = 1;
const IS_ESCAPED = 2;

/** Whether the part stands there, or as much of it as there is room for. */
function isAt(bytes: DataView, start: number, end: number, part: DataView): boolean {
  const length = Math.min(part.byteLength, end - start);
  let offset = 0;
  for (; offset + 4 <= length; offset += 4) {
    if (bytes.getInt32(start + offset, true) !== part.getInt32(offset, true)) return false;
  }
  for (; offset < length; offset += 1) {
    if (bytes.getUint8(start + offset) !== part.getUint8(offset)) return false;
  }
  return true;
}
