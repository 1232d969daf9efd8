import { isObject } from "./object.ts";

/** Strings, and the numbers that a double may not tell apart. */
const STRING_OR_LARGE_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.]*[eE][+-]?\d+|-?[\d.]{16,}/g;

/**
 * The value of a JSON text; `undefined` if it is no JSON, or nested deeper than the engine's stack.
 */
export function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Values nested deeper cannot be cloned on every platform, nor written as JSON. */
const MAX_DEPTH = 1000;

const BRACKET = 0x5b;
const BRACE = 0x7b;
const STRING_OR_BRACKET = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]/g;

/** Whether a value is nested deeper than every platform can write. */
export function isTooDeep(value: unknown, depth: number = MAX_DEPTH): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isTooDeep(inner, depth - 1));
}

/** The same of the value of a JSON text. */
export function isTextTooDeep(text: string): boolean {
  if (!hasManyBrackets(text)) return false;
  let depth = 0;
  let deepest = 0;
  for (const [token] of text.matchAll(STRING_OR_BRACKET)) {
    if (token === "[" || token === "{") depth += 1;
    else if (token === "]" || token === "}") depth -= 1;
    deepest = Math.max(deepest, depth);
  }
  return deepest > MAX_DEPTH;
}

/** Whether so many open that the text may be nested too deep: most have far fewer. */
function hasManyBrackets(text: string): boolean {
  let count = 0;
  // A text that is shorter has no room for both ends of so many.
  if (text.length <= 2 * MAX_DEPTH) return false;
  for (let position = 0; position < text.length && count <= MAX_DEPTH; position += 1) {
    const code = text.charCodeAt(position);
    if (code === BRACKET || code === BRACE) count += 1;
  }
  return count > MAX_DEPTH;
}

/**
 * A text that is the same for equal JSON values: white space, escapes and the order of keys aside.
 */
export function canonicalJson(text: string): string {
  try {
    // Refuses text that is not JSON: in a string without an end, the search below would begin anew at
    // every quote.
    JSON.parse(text);
    const exact = text.replace(STRING_OR_LARGE_NUMBER, (token) =>
      token.startsWith('"') ? token : `"\\u0000${token}"`,
    );
    return JSON.stringify(JSON.parse(exact), sortKeys);
  } catch {
    // The text is no JSON, or nested deeper than this engine's stack: it stands for itself.
    return text;
  }
}

/** The JSON of a value that someone else has parsed; a value without JSON gives text that is none. */
export function jsonText(value: unknown): string {
  try {
    return isTooDeep(value) ? "?" : (JSON.stringify(value) ?? "?");
  } catch {
    return "?"; // Nested deeper than this engine's stack, or no JSON value at all.
  }
}

function sortKeys(_key: string, value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
