/**
 * The header lines of a message as they came: name, value, name, value, …. Values are latin1, byte for
 * character, and are written back as that.
 */
export type RawHeaders = readonly string[];

/** Headers about one connection: a proxy must not pass them on (RFC 9110, 7.6.1). */
const HOP_BY_HOP = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
];

/** The value of all lines of a name; `null` if there is none. */
export function headerOf(raw: RawHeaders, name: string): string | null {
  const values: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    if (raw[index]?.toLowerCase() === name) values.push(raw[index + 1] as string);
  }
  return values.length === 0 ? null : values.join(", ");
}

/** The elements of a header that is a list, in lower case. */
export function elementsOf(value: string | null): string[] {
  const elements = (value ?? "").split(",").map((element) => element.trim().toLowerCase());
  return elements.filter((element) => element !== "");
}

/**
 * The lines that are passed on, as they came, the length last: without those of the connection, also those
 * that `Connection` names.
 *
 * @param dropped names of others that are not passed on
 */
export function passedHeaders(raw: RawHeaders, dropped: readonly string[]): string[] {
  const named = elementsOf(headerOf(raw, "connection"));
  const names = new Set([...HOP_BY_HOP, ...named, ...dropped]);
  const passed: string[] = [];
  const lengths: string[] = [];
  for (let index = 0; index < raw.length; index += 2) {
    const [name = "", value = ""] = raw.slice(index, index + 2);
    const key = name.toLowerCase();
    if (!names.has(key)) (key === "content-length" ? lengths : passed).push(name, value);
  }
  // Behind a length, Node writes the value of `Content-Disposition` anew.
  return [...passed, ...lengths];
}

/** Whether the body is framed in a way that Node undoes: it leaves `gzip, chunked` compressed. */
export function hasKnownFraming(raw: RawHeaders): boolean {
  return /^(?:chunked)?$/i.test(headerOf(raw, "transfer-encoding") ?? "");
}
