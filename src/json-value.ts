/** A string, passed over; or a number of so many digits that doubles may not tell it from another. */
const STRING_OR_LONG_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]{15,}/gs;

/**
 * A text that is the same for equal JSON values: white space, escapes and the order of keys aside.
 */
export function canonicalJson(text: string): string {
  try {
    const exact = text.replace(STRING_OR_LONG_NUMBER, (token) =>
      token.startsWith('"') ? token : `"\\u0000${token}"`,
    );
    return JSON.stringify(JSON.parse(exact), sortKeys);
  } catch {
    // Nested deeper than this engine's stack: then the text itself has to do.
    return text;
  }
}

function sortKeys(_key: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}
