import { readJson } from "./json-value.ts";

// What the next character is part of, in the grammar of RFC 8259.
const VALUE = 0;
const FIRST_ELEMENT = 1; // after `[`: a value or `]`
const FIRST_KEY = 2; // after `{`: a key or `}`
const KEY = 3; // after `,` in an object
const COLON = 4;
const AFTER_VALUE = 5; // inside of a container: `,` or its bracket
const STRING = 6;
const ESCAPE = 7;
const NUMBER = 8;
const LITERAL = 9;
const HEX = 10; // the first of the four digits of `\uXXXX`
const LAST_HEX = 13;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/**
 * The grammar of numbers: behind a minus (m), a zero (z), in the integer (i), behind the point (p), in
 * the fraction (f), behind the e (q), behind its sign (s), in the exponent (x). `p1f` reads: from p, a
 * digit other than 0 leads to f.
 */
const NUMBER_STEPS =
  "m0z m1i i0i i1i z.p i.p p0f p1f f0f f1f zeq ieq feq q-s q0x q1x s0x s1x x0x x1x";
const NUMBER_ENDS = "zifx";

/**
 * Finds where a JSON value ends, in text that arrives in fragments.
 *
 * Strict (RFC 8259) and incremental: {@link scan} looks at every character once and never back, so
 * the whole costs what the text is long, however it is cut.
 */
export class JsonEnd {
  /** Whether the value may go on, is over, or can never become one. */
  state: "open" | "closed" | "failed" = "open";
  /** What the root is, once its first character has come. */
  root: "object" | "array" | "scalar" | undefined;
  /** Whether the root, an object or array, has a first key or element. */
  hasContent = false;

  #at = VALUE;
  /** The open containers, outermost first: `true` for an object. */
  #containers: boolean[] = [];
  /** Whether the string that is being read is a key. */
  #isKey = false;
  /** Where in {@link NUMBER_STEPS} a number stands. */
  #number = "";
  /** What is missing of `true`, `false` or `null`. */
  #literal = "";

  /** Whether the text may stop here: the value has closed, or it is a number that needs no more. */
  get isWhole(): boolean {
    return (
      this.state === "closed" ||
      (this.#at === NUMBER && this.#containers.length === 0 && NUMBER_ENDS.includes(this.#number))
    );
  }

  /**
   * Reads on, from `start`, until the value closes, fails or the text ends.
   *
   * @returns the position behind the last character that was read
   */
  scan(text: string, start = 0): number {
    let at = this.#at;
    let position = start;
    while (position < text.length && this.state === "open") {
      let code = text.charCodeAt(position);
      if (at === STRING) {
        // The hot loop: most characters of arguments stand in strings.
        while (code !== QUOTE && code !== BACKSLASH && code >= SPACE) {
          position += 1;
          if (position === text.length) break;
          code = text.charCodeAt(position);
        }
        if (position === text.length) break;
        if (code === QUOTE) at = this.#isKey ? COLON : this.#close();
        else if (code === BACKSLASH) at = ESCAPE;
        else this.state = "failed"; // a control character
      } else if (at === ESCAPE) {
        if (code === 0x75 /* u */) at = HEX;
        else if (isEscapable(code)) at = STRING;
        else this.state = "failed";
      } else if (at >= HEX) {
        if (!isHexDigit(code)) this.state = "failed";
        at = at === LAST_HEX ? STRING : at + 1;
      } else if (at === NUMBER) {
        const step = NUMBER_STEPS.indexOf(this.#number + numberSymbol(text.charAt(position)));
        if (step === -1) {
          at = this.#endNumber(code);
          continue; // What ends a number is read in its own right.
        }
        this.#number = NUMBER_STEPS.charAt(step + 2);
      } else if (at === LITERAL) {
        at = this.#stepLiteral(text.charAt(position));
      } else if (!isWhiteSpace(code)) at = this.#step(at, code);
      position += 1;
    }
    this.#at = at;
    return position;
  }

  /**
   * Reads a whole object or array that has something in it, before any {@link scan}. The platform's
   * parser follows the same grammar, several times as fast, and its look gives the value as well.
   *
   * @returns the value; `undefined` where the text is something else, and then nothing was read
   */
  parse(text: string): unknown {
    const isObject = text.startsWith("{") && text.endsWith("}");
    if (!isObject && !(text.startsWith("[") && text.endsWith("]"))) return undefined;
    const value = readJson(text);
    if (value === undefined || Object.keys(value as object).length === 0) return undefined;
    this.state = "closed";
    this.root = isObject ? "object" : "array";
    this.hasContent = true;
    return value;
  }

  /** A character between the values. */
  #step(at: number, code: number): number {
    switch (at) {
      case COLON:
        return code === 0x3a /* : */ ? VALUE : this.#fail();
      case AFTER_VALUE: {
        const isInObject = this.#containers.at(-1);
        if (code === 0x2c /* , */) return isInObject ? KEY : VALUE;
        return code === (isInObject ? 0x7d : 0x5d) /* } ] */
          ? this.#closeContainer()
          : this.#fail();
      }
      case FIRST_KEY:
        if (code === 0x7d /* } */) return this.#closeContainer();
        break;
      case FIRST_ELEMENT:
        if (code === 0x5d /* ] */) return this.#closeContainer();
    }
    this.hasContent ||= this.#containers.length > 0;
    this.#isKey = at === FIRST_KEY || at === KEY;
    if (code === QUOTE) {
      this.root ??= "scalar";
      return STRING;
    }
    if (this.#isKey) return this.#fail();
    if (code === 0x7b /* { */ || code === 0x5b /* [ */) {
      const isObject = code === 0x7b;
      this.root ??= isObject ? "object" : "array";
      this.#containers.push(isObject);
      return isObject ? FIRST_KEY : FIRST_ELEMENT;
    }
    this.root ??= "scalar";
    const character = String.fromCharCode(code);
    if ("-0123456789".includes(character)) {
      this.#number = character === "-" ? "m" : character === "0" ? "z" : "i";
      return NUMBER;
    }
    const literal = ["true", "false", "null"].find((word) => word.startsWith(character));
    this.#literal = literal?.slice(1) ?? "";
    return literal === undefined ? this.#fail() : LITERAL;
  }

  #stepLiteral(character: string): number {
    if (!this.#literal.startsWith(character)) return this.#fail();
    this.#literal = this.#literal.slice(1);
    return this.#literal === "" ? this.#close() : LITERAL;
  }

  #endNumber(code: number): number {
    // Behind a number that is the root itself, only white space may come.
    const isEnd = this.#containers.length > 0 || isWhiteSpace(code);
    return isEnd && NUMBER_ENDS.includes(this.#number) ? this.#close() : this.#fail();
  }

  #closeContainer(): number {
    this.#containers.pop();
    return this.#close();
  }

  #close(): number {
    if (this.#containers.length === 0) this.state = "closed";
    return AFTER_VALUE;
  }

  #fail(): number {
    this.state = "failed";
    return VALUE;
  }
}

export function isWhiteSpace(code: number): boolean {
  return code === SPACE || code === 0x0a || code === 0x0d || code === 0x09;
}

/** White space as JSON has it: less than `String.prototype.trim` takes. */
export function isBlank(text: string, start = 0): boolean {
  let position = start;
  while (position < text.length && isWhiteSpace(text.charCodeAt(position))) position += 1;
  return position === text.length;
}

function isHexDigit(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || ((code | 0x20) >= 0x61 && (code | 0x20) <= 0x66);
}

function isEscapable(code: number): boolean {
  switch (code) {
    case QUOTE:
    case BACKSLASH:
    case 0x2f: // slash
    case 0x62: // b
    case 0x66: // f
    case 0x6e: // n
    case 0x72: // r
    case 0x74: // t
      return true;
    default:
      return false;
  }
}

function numberSymbol(character: string): string {
  if (character >= "1" && character <= "9") return "1";
  if (character === "E") return "e";
  if (character === "+") return "-";
  return "0.e-".includes(character) ? character : "!";
}
