import { decoder, joined } from "./bytes.ts";

const MAX_ASCII = 0x7f;

/** The longest character of UTF-8 has one byte more. */
const MAX_CUT = 3;

/** The lowest bytes that characters of two, three and four bytes begin with. */
const FIRST_BYTE = 0xc0;
const FIRST_OF_THREE = 0xe0;
const FIRST_OF_FOUR = 0xf0;

/** What decoders put in the place of bytes that are not UTF-8; bytes may also hold it in earnest. */
const REPLACEMENT = "\uFFFD";
const REPLACEMENT_BYTES = [0xef, 0xbf, 0xbd] as const;

/** In our text, the mark of such a replacement: half of a pair, which no decoder gives alone. */
const MARK = "\uDBFF";
const LONE_MARK = /\uDBFF(?![\uDC00-\uDFFF])/g;

const NOTHING: Uint8Array = new Uint8Array(0);

/**
 * Bytes → text, however the bytes are cut. What stands for bytes that are not UTF-8 is marked, see
 * {@link withoutMarks}.
 *
 * Whole characters are decoded at once: Node takes four times as long for a decoder that streams.
 */
export class Utf8Reader {
  /** Whether any text so far has marks. */
  hasMarks = false;
  /** The beginning of a character that a chunk has cut. */
  #held = NOTHING;

  read(chunk: Uint8Array): string {
    const bytes = this.#held.length === 0 ? chunk : joined([this.#held, chunk]);
    const end = bytes.length - cutLength(bytes);
    // A copy: the chunk is its owner's.
    this.#held = end < bytes.length ? bytes.slice(end) : NOTHING;
    return this.#decode(end < bytes.length ? bytes.subarray(0, end) : bytes);
  }

  /** Whether a character has begun that is not whole yet. */
  get isCut(): boolean {
    return this.#held.length > 0;
  }

  /** The text of a character that never came whole. It is the end of the body, and has no mark. */
  end(): string {
    const text = decoder.decode(this.#held);
    this.#held = NOTHING;
    return text;
  }

  #decode(bytes: Uint8Array): string {
    const text = decoder.decode(bytes);
    if (!text.includes(REPLACEMENT)) return text;
    const [first, second, third] = REPLACEMENT_BYTES;
    let marked = "";
    let start = 0;
    for (let at = bytes.indexOf(first); at !== -1; at = bytes.indexOf(first, at + 1)) {
      if (bytes[at + 1] !== second || bytes[at + 2] !== third) continue;
      marked += this.#marked(bytes.subarray(start, at)) + REPLACEMENT;
      start = at + REPLACEMENT_BYTES.length;
    }
    return marked + this.#marked(bytes.subarray(start));
  }

  /** The text of bytes that do not hold the replacement in earnest. */
  #marked(bytes: Uint8Array): string {
    const text = decoder.decode(bytes);
    this.hasMarks ||= text.includes(REPLACEMENT);
    return text.replaceAll(REPLACEMENT, MARK);
  }
}

/** The text as WHATWG decodes it. @returns the text itself where it has no mark */
export function withoutMarks(text: string): string {
  return text.includes(MARK) ? text.replace(LONE_MARK, REPLACEMENT) : text;
}

/** How many bytes at the end are the beginning of a character. */
function cutLength(bytes: Uint8Array): number {
  for (let length = 1; length <= MAX_CUT; length += 1) {
    const byte = bytes.at(-length) ?? 0;
    if (byte <= MAX_ASCII) return 0;
    if (byte < FIRST_BYTE) continue;
    let whole = 2;
    if (byte >= FIRST_OF_FOUR) whole = 4;
    else if (byte >= FIRST_OF_THREE) whole = 3;
    return length < whole ? length : 0;
  }
  return 0;
}
