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
export const MAX_DEPTH = 1000;

/** Whether a value is nested deeper than every platform can write. */
export function isTooDeep(value: unknown, depth: number = MAX_DEPTH): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((inner) => isTooDeep(inner, depth - 1));
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
