/** What the scanned text is so far: a prefix of JSON, one whole value, or neither. */
export type JsonEndState = "open" | "closed" | "failed";

// Where in the grammar of RFC 8259 the next character stands.
const VALUE = 0;
const FIRST_ELEMENT = 1; // after `[`: a value or `]`
const FIRST_KEY = 2; // after `{`: a key or `}`
const KEY = 3; // after `,` in an object
const COLON = 4;
const AFTER_VALUE = 5; // inside a container: `,` or its bracket
const STRING = 6;
const ESCAPE = 7;
const HEX = 8; // `#pending` digits of `\uXXXX` are missing
const LITERAL = 9; // `#pending` characters of `#literal` are missing
const MINUS = 10;
const ZERO = 11;
const INTEGER = 12;
const POINT = 13;
const FRACTION = 14;
const EXPONENT = 15;
const EXPONENT_SIGN = 16;
const EXPONENT_DIGITS = 17;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/**
 * Finds where a JSON value ends, in text that arrives in fragments.
 *
 * Strict (RFC 8259) and incremental: {@link scan} looks at every character once and never back, so
 * the whole costs what the text is long, however it is cut.
 */
export class JsonEnd {
  state: JsonEndState = "open";
  /** What the root is, once its first character has come. */
  root: "object" | "array" | "scalar" | undefined;
  /** Whether the root, an object or array, has a first key or element. */
  hasContent = false;

  #at = VALUE;
  /** The open containers, outermost first: `true` for an object. */
  #containers: boolean[] = [];
  /** Whether the string being read is a key. */
  #isKey = false;
  #literal = "";
  #pending = 0;

  /** Whether the text may stop here: the value has closed, or it is a number that needs no more. */
  get isWhole(): boolean {
    if (this.state !== "open") return this.state === "closed";
    return this.#containers.length === 0 && isNumberEnd(this.#at);
  }

  /**
   * Reads on, from `start`, until the value closes, the text fails or it ends.
   *
   * @returns the position after the last character that belongs to the value (a failing character
   *   counts as belonging: it is part of what the server sent as this value)
   */
  scan(text: string, start = 0): number {
    let position = start;
    while (position < text.length && this.state === "open") {
      if (this.#at === STRING) {
        position = this.#scanString(text, position);
        continue;
      }
      if (this.#step(text.charCodeAt(position))) position += 1;
    }
    return position;
  }

  /** The hot loop: most characters of arguments stand in strings. */
  #scanString(text: string, start: number): number {
    for (let position = start; position < text.length; position += 1) {
      const code = text.charCodeAt(position);
      if (code === QUOTE) {
        if (this.#isKey) this.#at = COLON;
        else this.#closeValue();
        return position + 1;
      }
      if (code === BACKSLASH) {
        this.#at = ESCAPE;
        return position + 1;
      }
      if (code < SPACE) {
        this.state = "failed";
        return position + 1;
      }
    }
    return text.length;
  }

  /** Takes one character outside of plain string text; `false` leaves it for the next step. */
  #step(code: number): boolean {
    switch (this.#at) {
      case ESCAPE:
        if (code === 0x75 /* u */) {
          this.#at = HEX;
          this.#pending = 4;
        } else if (isSimpleEscape(code)) this.#at = STRING;
        else this.state = "failed";
        return true;
      case HEX:
        if (!isHexDigit(code)) this.state = "failed";
        else if ((this.#pending -= 1) === 0) this.#at = STRING;
        return true;
      case LITERAL:
        if (code !== this.#literal.charCodeAt(this.#literal.length - this.#pending)) {
          this.state = "failed";
        } else if ((this.#pending -= 1) === 0) this.#closeValue();
        return true;
      case MINUS:
        if (code === 0x30 /* 0 */) this.#at = ZERO;
        else this.#at = this.#expectDigit(code, INTEGER);
        return true;
      case POINT:
        this.#at = this.#expectDigit(code, FRACTION);
        return true;
      case EXPONENT_SIGN:
        this.#at = this.#expectDigit(code, EXPONENT_DIGITS);
        return true;
      case EXPONENT:
        if (code === 0x2b /* + */ || code === 0x2d /* - */) this.#at = EXPONENT_SIGN;
        else this.#at = this.#expectDigit(code, EXPONENT_DIGITS);
        return true;
      case ZERO:
      case INTEGER:
      case FRACTION:
      case EXPONENT_DIGITS:
        return this.#continueNumber(code);
    }
    if (isWhiteSpace(code)) return true;
    switch (this.#at) {
      case VALUE:
        this.#openValue(code);
        return true;
      case FIRST_ELEMENT:
        if (code === 0x5d /* ] */) this.#closeContainer();
        else {
          this.hasContent = true;
          this.#openValue(code);
        }
        return true;
      case FIRST_KEY:
        if (code === 0x7d /* } */) {
          this.#closeContainer();
          return true;
        }
        this.hasContent = true;
        this.#openKey(code);
        return true;
      case KEY:
        this.#openKey(code);
        return true;
      case COLON:
        if (code === 0x3a /* : */) this.#at = VALUE;
        else this.state = "failed";
        return true;
      default:
        this.#afterValue(code);
        return true;
    }
  }

  #openKey(code: number): void {
    if (code !== QUOTE) this.state = "failed";
    this.#isKey = true;
    this.#at = STRING;
  }

  #openValue(code: number): void {
    if (code === 0x7b /* { */ || code === 0x5b /* [ */) {
      const isObject = code === 0x7b;
      this.root ??= isObject ? "object" : "array";
      this.#containers.push(isObject);
      this.#at = isObject ? FIRST_KEY : FIRST_ELEMENT;
      return;
    }
    this.root ??= "scalar";
    if (code === QUOTE) {
      this.#isKey = false;
      this.#at = STRING;
    } else if (code === 0x2d /* - */) this.#at = MINUS;
    else if (code === 0x30 /* 0 */) this.#at = ZERO;
    else if (isDigit(code)) this.#at = INTEGER;
    else if (code === 0x74 /* t */) this.#openLiteral("true");
    else if (code === 0x66 /* f */) this.#openLiteral("false");
    else if (code === 0x6e /* n */) this.#openLiteral("null");
    else this.state = "failed";
  }

  #openLiteral(literal: string): void {
    this.#literal = literal;
    this.#pending = literal.length - 1;
    this.#at = LITERAL;
  }

  #expectDigit(code: number, next: number): number {
    if (!isDigit(code)) this.state = "failed";
    return next;
  }

  #continueNumber(code: number): boolean {
    if (isDigit(code) && this.#at !== ZERO) return true;
    if (code === 0x2e /* . */ && (this.#at === ZERO || this.#at === INTEGER)) {
      this.#at = POINT;
      return true;
    }
    if ((code === 0x65 /* e */ || code === 0x45) /* E */ && this.#at !== EXPONENT_DIGITS) {
      this.#at = EXPONENT;
      return true;
    }
    // The number is over; what ended it is read in its own right, unless the number was the root
    // and something other than white space follows.
    if (this.#containers.length > 0 || isWhiteSpace(code)) {
      this.#closeValue();
      return false;
    }
    this.state = "failed";
    return true;
  }

  #afterValue(code: number): void {
    const isInObject = this.#containers[this.#containers.length - 1] === true;
    if (code === 0x2c /* , */) this.#at = isInObject ? KEY : VALUE;
    else if (code === (isInObject ? 0x7d : 0x5d) /* } or ] */) this.#closeContainer();
    else this.state = "failed";
  }

  #closeContainer(): void {
    this.#containers.pop();
    this.#closeValue();
  }

  #closeValue(): void {
    this.#at = AFTER_VALUE;
    if (this.#containers.length === 0) this.state = "closed";
  }
}

export function isWhiteSpace(code: number): boolean {
  return code === SPACE || code === 0x0a || code === 0x0d || code === 0x09;
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39;
}

function isHexDigit(code: number): boolean {
  return isDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66);
}

function isSimpleEscape(code: number): boolean {
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

function isNumberEnd(at: number): boolean {
  return at === ZERO || at === INTEGER || at === FRACTION || at === EXPONENT_DIGITS;
}
