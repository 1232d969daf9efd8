import { decoder } from "../events/bytes.ts";
import { readJson } from "../json/json-value.ts";

const BACKSLASH = 0x5c;
const ZERO = 0x30;

/** What decoders put in the place of bytes that are not UTF-8: such an event is for the plain reader. */
const REPLACEMENT = "\uFFFD";

/** So many digits are exact. */
const MAX_DIGITS = 15;

/** Of a longer text, decoding is faster than putting its characters together. */
const MAX_SHORT = 32;

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/** By the character behind the backslash: what it stands for. */
const ESCAPES: Readonly<Record<number, string>> = {
  0x22: '"',
  0x5c: "\\",
  0x2f: "/",
  0x62: "\b",
  0x66: "\f",
  0x6e: "\n",
  0x72: "\r",
  0x74: "\t",
};

/** The value of a JSON string without its quotes; `undefined` if it is none, or no UTF-8. */
export function readText(
  bytes: DataView,
  start: number,
  end: number,
  isAscii: boolean,
  isPlain: boolean,
): string | undefined {
  if (isAscii && end - start <= MAX_SHORT) {
    const short = isPlain ? asciiOf(bytes, start, end) : unescaped(bytes, start, end);
    if (short !== undefined) return short;
  }
  const length = end - start;
  const text = decoder.decode(new Uint8Array(bytes.buffer, bytes.byteOffset + start, length));
  if (text.includes(REPLACEMENT)) return undefined;
  const value = isPlain ? text : readJson(`"${text}"`);
  return typeof value === "string" ? value : undefined;
}

/** The value of a JSON number; `undefined` if it is none. */
export function readNumber(bytes: DataView, start: number, end: number): number | undefined {
  let value = 0;
  for (let position = start; position < end; position += 1) {
    const digit = bytes.getUint8(position) - ZERO;
    if (digit < 0 || digit > 9) return readOtherNumber(bytes, start, end);
    value = value * 10 + digit;
  }
  const length = end - start;
  const isCanonical = length === 1 || (length > 1 && bytes.getUint8(start) !== ZERO);
  return isCanonical && length <= MAX_DIGITS ? value : readOtherNumber(bytes, start, end);
}

function readOtherNumber(bytes: DataView, start: number, end: number): number | undefined {
  const text = asciiOf(bytes, start, end);
  return NUMBER.test(text) ? Number(text) : undefined;
}

function asciiOf(bytes: DataView, start: number, end: number): string {
  let text = "";
  let position = start;
  // Each call costs more than its characters.
  for (; position + 4 <= end; position += 4) {
    text += String.fromCharCode(
      bytes.getUint8(position),
      bytes.getUint8(position + 1),
      bytes.getUint8(position + 2),
      bytes.getUint8(position + 3),
    );
  }
  for (; position < end; position += 1) text += String.fromCharCode(bytes.getUint8(position));
  return text;
}

/** The text, if it has no escapes but those of one character. */
function unescaped(bytes: DataView, start: number, end: number): string | undefined {
  let text = "";
  for (let position = start; position < end; position += 1) {
    const code = bytes.getUint8(position);
    if (code === BACKSLASH) {
      position += 1;
      const character = ESCAPES[bytes.getUint8(position)];
      if (character === undefined) return undefined;
      text += character;
    } else text += String.fromCharCode(code);
  }
  return text;
}
