import { expect } from "vitest";
import { bytesOf, readSteps } from "./reading.ts";

/** How many characters a call of a method looked at. */
type Inspected = (subject: unknown, parameters: readonly unknown[], result: unknown) => number;

/**
 * Every method of the platform with which the library, or its parser, looks at text. Where a method
 * may stop early, up to where it must have looked.
 */
const METHODS: readonly (readonly [object, string, Inspected])[] = [
  [String.prototype, "charCodeAt", () => 1],
  [String.prototype, "charAt", () => 1],
  [String.prototype, "indexOf", upToMatch],
  [String.prototype, "includes", upToMatch],
  [String.prototype, "lastIndexOf", (text, _, at) => lengthOf(text) - Math.max(Number(at), 0)],
  [String.prototype, "startsWith", needle],
  [String.prototype, "endsWith", needle],
  [String.prototype, "trim", (text, _, result) => lengthOf(text) - lengthOf(result) + 2],
  [String.prototype, "trimStart", (text, _, result) => lengthOf(text) - lengthOf(result) + 1],
  [String.prototype, "split", lengthOf],
  [String.prototype, "replace", lengthOf],
  [String.prototype, "replaceAll", lengthOf],
  [RegExp.prototype, "exec", upToEnd],
  // Not text: but what is looked up for each thing that came before is as much work.
  [Map.prototype, "get", () => 1],
  [Array.prototype, "join", (_, __, text) => lengthOf(text)],
  [JSON, "parse", (_, [text]) => lengthOf(text)],
  [JSON, "stringify", (_, __, text) => lengthOf(text)],
  [TextDecoder.prototype, "decode", (_, __, text) => lengthOf(text)],
];

/**
 * Counts the characters that are looked at while something runs.
 *
 * It cannot see comparisons with `===` and the flattening of a string that was grown with `+=`:
 * those are the bench's to find.
 */
export function charactersInspected(run: () => void): number {
  let count = 0;
  const originals = METHODS.map(([owner, name, inspected]) => {
    const original: unknown = Reflect.get(owner, name);
    if (typeof original !== "function") throw new TypeError(`Cannot watch ${name}: no method`);
    Reflect.set(owner, name, function watched(this: unknown, ...parameters: unknown[]): unknown {
      const before = count;
      const result: unknown = Reflect.apply(original, this, parameters);
      // Not what it called in turn: `replace` calls `exec`.
      count = before + inspected(this, parameters, result);
      return result;
    });
    return original;
  });
  // The parser makes an error for each line that it does not know, and what writes down the stack of
  // an error (on Bun, as it is made) looks at text as well.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    run();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
    for (const [position, [owner, name]] of METHODS.entries()) {
      Reflect.set(owner, name, originals[position]);
    }
  }
  return count;
}

/** Enough for what grows with the square to stand out from what does not. */
const TIMES = 20;
const FACTOR = 8;

function costPerCharacter(body: string): number {
  return charactersInspected(() => readSteps([bytesOf(body)])) / body.length;
}

/** That a body of more events costs no more for each of its characters. */
export function expectLinear(bodyOf: (times: number) => string): void {
  expect(costPerCharacter(bodyOf(TIMES * FACTOR))).toBeLessThan(
    costPerCharacter(bodyOf(TIMES)) * 1.5 + 2,
  );
}

function lengthOf(value: unknown): number {
  return typeof value === "string" ? value.length : 0;
}

const { indexOf } = String.prototype;

function upToMatch(text: unknown, [sought, from = 0]: readonly unknown[]): number {
  const start = Number(from);
  const position: number = indexOf.call(text, String(sought), start);
  return (position === -1 ? lengthOf(text) : position + lengthOf(sought)) - start;
}

function needle(text: unknown, [sought]: readonly unknown[]): number {
  return Math.min(lengthOf(text), lengthOf(sought));
}

function upToEnd(regExp: unknown, [text]: readonly unknown[], match: unknown): number {
  const { source, sticky } = regExp as RegExp;
  if (match === null) return sticky || source.startsWith("^") ? 1 : lengthOf(text);
  const { index, 0: matched } = match as RegExpExecArray;
  return lengthOf(matched) + 1 + (sticky ? 0 : index);
}
