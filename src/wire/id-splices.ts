import { isObject, type JsonObject } from "../json/object.ts";
import { encoder, decoder, joined } from "../events/bytes.ts";

/** A change to bytes: this text replaces the bytes from `start` to `end`. */
export interface Splice {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The new value for a field of an object. */
export interface FieldEdit {
  readonly field: string;
  readonly value: string;
  /** Whether it is also written where the field is missing, `null` or `""`. */
  readonly isRequired: boolean;
}

/** By the object on the wire whose fields change. */
export type Edits = ReadonlyMap<JsonObject, readonly FieldEdit[]>;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const SPACE = 0x20;
const BRACE = 0x7b;
const BRACE_END = 0x7d;
const BRACKET = 0x5b;
const BRACKET_END = 0x5d;

const MINUS = 0x2d;
const ZERO = 0x30;
const NINE = 0x39;

/** The two quotes of a string. */
const EMPTY_LENGTH = 2;

/** No dialect has ids this deep; further down, brackets are only counted. */
const MAX_DEPTH = 12;

/**
 * The changes to the bytes of a JSON value, in order, that give fields of its objects new values. If a
 * key is written twice, both change, whatever escapes it is written with.
 *
 * @param start where the value begins
 * @param value the parsed value
 */
export function findSplices(
  bytes: Uint8Array,
  start: number,
  value: unknown,
  edits: Edits,
): Splice[] {
  const walker = new Walker(bytes, start, edits);
  walker.walk(value, 0);
  return walker.splices;
}

/** Goes through the bytes of a value and the value side by side. The bytes are known to be JSON. */
class Walker {
  readonly splices: Splice[] = [];
  #bytes: Uint8Array;
  #position: number;
  #edits: Edits;

  constructor(bytes: Uint8Array, start: number, edits: Edits) {
    this.#bytes = bytes;
    this.#position = start;
    this.#edits = edits;
  }

  walk(value: unknown, depth: number): void {
    const byte = this.#next();
    if (byte === QUOTE) this.#skipString();
    else if (byte !== BRACE && byte !== BRACKET) this.#skipLiteral();
    else if (depth === MAX_DEPTH) this.#skipNested();
    else if (byte === BRACE) this.#walkObject(isObject(value) ? value : {}, depth);
    else this.#walkArray(Array.isArray(value) ? value : [], depth);
  }

  #walkArray(values: readonly unknown[], depth: number): void {
    this.#position += 1;
    for (let index = 0; !this.#isAt(BRACKET_END); index += 1) {
      this.walk(values[index], depth + 1);
      if (this.#next() === COMMA) this.#position += 1;
    }
    this.#position += 1;
  }

  #walkObject(object: JsonObject, depth: number): void {
    const edits = this.#edits.get(object) ?? [];
    this.#position += 1;
    const start = this.#position;
    const isEmpty = this.#isAt(BRACE_END);
    /** Missing fields go in here, before the changes further in. */
    const place = this.splices.length;
    const found = new Set<FieldEdit>();
    while (!this.#isAt(BRACE_END)) {
      const key = this.#readKey();
      const edit = edits.find(({ field }) => field === key);
      if (edit === undefined) this.walk(object[key], depth + 1);
      else {
        found.add(edit);
        this.#replace(edit);
      }
      if (this.#next() === COMMA) this.#position += 1;
    }
    this.#position += 1;
    const missing = edits.filter((edit) => edit.isRequired && !found.has(edit));
    if (missing.length === 0) return;
    const fields = missing.map(({ field, value }) => `"${field}":${JSON.stringify(value)}`);
    const text = fields.join() + (isEmpty ? "" : ",");
    this.splices.splice(place, 0, { start, end: start, text });
  }

  #replace({ value, isRequired }: FieldEdit): void {
    const first = this.#next();
    const start = this.#position;
    this.walk(undefined, MAX_DEPTH);
    const end = this.#position;
    // No id is a list or an object; and these may cross the end of a line.
    if (first === BRACE || first === BRACKET) return;
    // An id that stays is not written anew, however it is escaped.
    if (first === QUOTE && this.#readString(start) === value) return;
    const isPresent = first === QUOTE ? end - start > EMPTY_LENGTH : isNumeric(first);
    if (isPresent || isRequired) this.splices.push({ start, end, text: JSON.stringify(value) });
  }

  /** Reads the key and goes past the colon behind it. */
  #readKey(): string {
    const start = this.#position;
    this.#skipString();
    const key = this.#readString(start);
    this.#next();
    this.#position += 1;
    return key;
  }

  /** The string that has just been passed. @param start where its quote is */
  #readString(start: number): string {
    const text = decoder.decode(this.#bytes.subarray(start, this.#position));
    return text.includes("\\") ? (JSON.parse(text) as string) : text.slice(1, -1);
  }

  /** Skips white space. @returns the byte behind it */
  #next(): number | undefined {
    while ((this.#bytes[this.#position] ?? QUOTE) <= SPACE) this.#position += 1;
    return this.#bytes[this.#position];
  }

  /** Whether an array or object ends here; if this is no JSON, the bytes may end first. */
  #isAt(end: number): boolean {
    const byte = this.#next();
    return byte === end || byte === undefined;
  }

  #skipString(): void {
    this.#position += 1;
    for (;;) {
      const byte = this.#bytes[this.#position];
      this.#position += byte === BACKSLASH ? 2 : 1;
      if (byte === QUOTE || byte === undefined) return;
    }
  }

  /** Past a number, `true`, `false` or `null`. */
  #skipLiteral(): void {
    for (;;) {
      const byte = this.#bytes[this.#position] ?? COMMA;
      if (byte <= SPACE || byte === COMMA || byte === BRACE_END || byte === BRACKET_END) return;
      this.#position += 1;
    }
  }

  /** Past an object or array, however deep. */
  #skipNested(): void {
    let depth = 0;
    do {
      const byte = this.#next();
      if (byte === QUOTE) this.#skipString();
      else {
        if (byte === BRACE || byte === BRACKET) depth += 1;
        else if (byte === BRACE_END || byte === BRACKET_END) depth -= 1;
        this.#position += 1;
      }
    } while (depth > 0 && this.#position < this.#bytes.length);
  }
}

/** Whether a number begins so. */
function isNumeric(byte: number | undefined): boolean {
  return byte === MINUS || (byte !== undefined && byte >= ZERO && byte <= NINE);
}

/** The bytes with all changes made. */
export function spliced(bytes: Uint8Array, splices: readonly Splice[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let position = 0;
  for (const { start, end, text } of splices) {
    parts.push(bytes.subarray(position, start), encoder.encode(text));
    position = end;
  }
  return joined([...parts, bytes.subarray(position)]);
}
