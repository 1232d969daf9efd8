import { readJson } from "./json-value.ts";

/** Where each character leads. */
interface State {
  /** By the code of the character. */
  readonly steps: Step[];
  /** Taken at every other character; the next state reads it again. Without this, it is an error. */
  otherwise: Step | undefined;
}

interface Step {
  /** `undefined`: the innermost value is over, and its `after` state comes. */
  readonly next: State | undefined;
  /** Set where a value begins: the state that comes when it is over. */
  readonly after: State | undefined;
}

/**
 * The grammar of RFC 8259, a state and its steps in each row. `,KC` reads: the character `,` leads to
 * state K, which begins something; when that is over, C comes. `^` ends the innermost beginning.
 *
 * `_` stands for white space, `1` for a digit but 0, `h` for a hexadecimal digit, and `~` for every
 * character without a step of its own.
 */
const GRAMMAR = [
  "R _R {O [A ~VE", // the root
  'V _V {O [A "S -m 0z 1i tt ff nn', // a value
  "E _E", // behind a root that is no object or array
  "A _A ]^ ~VL", // behind `[`
  "L _L ]^ ,VL", // behind an element
  "O _O }^ ~KC", // behind `{`
  'K _K "S', // a key
  "C _C :VP", // behind a key
  "P _P }^ ,KC", // behind a member
  'S "^ \\Q', // in a string: all else is read without these steps
  'Q "S \\S /S bS fS nS rS tS u4', // an escape
  "4 h3", // so many hexadecimal digits
  "3 h2",
  "2 h1",
  "1 hS",
  "m 0z 1i", // behind the minus of a number
  "z .d ex Ex ~^", // behind a zero
  "i 0i 1i .d ex Ex ~^", // in the integer
  "d 0g 1g", // behind the point
  "g 0g 1g ex Ex ~^", // in the fraction
  "x -y +y 0q 1q", // behind the e
  "y 0q 1q", // behind its sign
  "q 0q 1q ~^", // in the exponent
  "t rr", // true
  "r uu",
  "u e^",
  "f aa", // false
  "a ll",
  "l su",
  "n uv", // null
  "v lw",
  "w l^",
];
const CLASSES: Record<string, string> = {
  _: " \t\n\r",
  1: "123456789",
  h: "0123456789abcdefABCDEF",
};

const CLOSE: Step = { next: undefined, after: undefined };

const states: Record<string, State> = {};
const ROOT = stateOf("R");
const STRING = stateOf("S");
const SCALAR_END = stateOf("E");
// From these no step leads on.
const CONTAINER_END = stateOf("");
const FAILED = stateOf("failed");
const FAILURE: Step = { next: FAILED, after: undefined };
for (const row of GRAMMAR) {
  const [name = "", ...steps] = row.split(" ");
  for (const [symbol = "", next = "", after] of steps) {
    const step =
      next === "^" ? CLOSE : { next: stateOf(next), after: after ? stateOf(after) : undefined };
    const state = stateOf(name);
    if (symbol === "~") state.otherwise = step;
    else {
      for (const character of CLASSES[symbol] ?? symbol) {
        state.steps[character.charCodeAt(0)] = step;
      }
    }
  }
}

function stateOf(name: string): State {
  return (states[name] ??= { steps: [], otherwise: undefined });
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

/**
 * Finds where a JSON value ends, in text that arrives in fragments.
 *
 * Strict (RFC 8259) and incremental: {@link scan} looks at every character once and never back. So the
 * cost is linear in the length of the text, however it is cut.
 */
export class JsonEnd {
  /** Whether the root is more than an empty object or array, or the beginning of one. */
  hasContent = false;

  #at = ROOT;
  /** For each value that has begun, the state that comes when it is over; the innermost last. */
  #after: State[] = [];

  /** Whether the value is an object or array and has closed. */
  get isClosed(): boolean {
    return this.#at === CONTAINER_END;
  }

  /** Whether no continuation could make the text JSON. */
  get isBroken(): boolean {
    return this.#at === FAILED;
  }

  /** Whether the text may stop here: the value has closed, or it is a number that needs no more. */
  get canEnd(): boolean {
    const isNumber = this.#at.otherwise === CLOSE && this.#after[0] === SCALAR_END;
    return this.isClosed || this.#at === SCALAR_END || isNumber;
  }

  /**
   * Reads on until the value closes, fails or the text ends. Behind a scalar that has closed before,
   * only white space may come.
   *
   * @returns how many characters were read
   */
  scan(text: string): number {
    let position = 0;
    let hasClosed = false;
    while (position < text.length && !hasClosed && this.#at.steps.length > 0) {
      let code = text.charCodeAt(position);
      if (this.#at === STRING) {
        // The hot loop: most characters of arguments stand in strings.
        while (code !== QUOTE && code !== BACKSLASH && code >= SPACE) {
          position += 1;
          if (position === text.length) return position;
          code = text.charCodeAt(position);
        }
      }
      const step = this.#at.steps[code];
      if (step !== undefined) position += 1;
      const { next, after } = step ?? this.#at.otherwise ?? FAILURE;
      if (after !== undefined) {
        this.#after.push(after);
        this.hasContent = true;
      }
      this.#at = next ?? this.#after.pop() ?? CONTAINER_END;
      hasClosed = next === undefined && this.#at === SCALAR_END;
    }
    return position;
  }

  /**
   * Reads a whole object or array that is not empty, before any {@link scan}. The platform's parser
   * follows the same grammar, is several times as fast, and gives the value as well.
   *
   * @returns the value; `undefined` when the text is something else: then nothing was read
   */
  parse(text: string): unknown {
    // No other JSON ends in a bracket.
    const value = "}]".includes(text.slice(-1)) ? readJson(text) : undefined;
    if (Object.keys(value ?? {}).length === 0) return undefined;
    this.#at = CONTAINER_END;
    this.hasContent = true;
    return value;
  }
}

/** Whether the text is JSON white space; `String.prototype.trim` takes more characters. */
export function isBlank(text: string): boolean {
  return !/[^ \t\n\r]/.test(text);
}
