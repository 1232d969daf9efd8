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

/** Deletes the headers that must not be passed on, also those that `Connection` names. */
export function deleteHopByHop(headers: Headers): void {
  const named = (headers.get("connection") ?? "").split(",").map((name) => name.trim());
  for (const name of [...HOP_BY_HOP, ...named]) {
    if (/^[\w!#$%&'*+.^`|~-]+$/.test(name)) headers.delete(name);
  }
}

/** The headers of a message as it came, lines that repeat included: name, value, name, value, … */
export function headersOf(raw: readonly string[]): Headers {
  const headers = new Headers();
  for (let index = 0; index < raw.length; index += 2) {
    headers.append(raw[index] as string, raw[index + 1] as string);
  }
  return headers;
}

/** The same the other way, each `set-cookie` in a line of its own. */
export function linesOf(headers: Headers): string[] {
  return [...headers].flat();
}
