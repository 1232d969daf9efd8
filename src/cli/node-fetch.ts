import http, { type IncomingMessage } from "node:http";
import https from "node:https";
import { pipeline, Readable } from "node:stream";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { decode } from "./content-encoding.ts";
import { headersOf } from "./headers.ts";
import { webBodyOf } from "./web-body.ts";

/** Between TCP probes: no router on the way must take a thinking model for a dead one. */
const PROBE_INTERVAL_MS = 30_000;
/** Responses with these have no body, and `Response` takes none. */
const BODILESS_STATUSES = new Set([204, 205, 304]);

/**
 * A new connection for each request: a kept one may close just as a request goes out, and sending a
 * POST again may mean paying for it twice. TLS sessions are still resumed.
 */
const HTTP_AGENT = new http.Agent();
const HTTPS_AGENT = new https.Agent();

/**
 * A `fetch` without the timeouts of Node's own: they cut a model that thinks for five minutes. The
 * input is a URL; the body is text, bytes or a stream. Redirects are not followed.
 */
export async function nodeFetch(
  input: Parameters<typeof globalThis.fetch>[0],
  { method = "GET", headers: init, body = null, signal }: RequestInit = {},
): Promise<Response> {
  const href = String(input);
  const url = new URL(href);
  const headers = new Headers(init);
  headers.set("accept-encoding", "identity");
  // Servers may answer a request with `close` early and reset the connection: the answer is then lost.
  headers.set("connection", "keep-alive");
  setFraming(headers, body);
  const isSecure = url.protocol === "https:";
  const outgoing = (isSecure ? https : http).request(url, {
    agent: isSecure ? HTTPS_AGENT : HTTP_AGENT,
    method,
    // The path as it was written: a parsed path has its dots resolved and its brackets escaped.
    path: href.replace(/^[^:]+:\/\/[^/]*/, "") || "/",
    headers: Object.fromEntries(headers),
    ...(signal && { signal }),
  });
  outgoing.setSocketKeepAlive(true, PROBE_INTERVAL_MS);

  const response = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on("response", resolve);
    outgoing.on("error", reject);
    // A server may switch protocols unasked: Node then reports nothing but the close.
    outgoing.on("close", () => {
      reject(Object.assign(new Error("The connection was closed"), { code: "ECONNRESET" }));
    });
  });
  if (body instanceof ReadableStream) {
    // The request raises the same errors.
    pipeline(Readable.fromWeb(body as NodeReadableStream), outgoing, ignore);
  } else outgoing.end(body);
  return responseOf(await response, method);
}

function setFraming(headers: Headers, body: BodyInit | null): void {
  if (typeof body === "string" || body instanceof Uint8Array) {
    headers.set("content-length", `${Buffer.byteLength(body)}`);
  } else if (body !== null && !headers.has("content-length")) {
    headers.set("transfer-encoding", "chunked");
  }
}

function responseOf(incoming: IncomingMessage, method: string): Response {
  const { statusCode: status = 0, statusMessage: statusText = "" } = incoming;
  const headers = headersOf(incoming.rawHeaders);
  const isBodiless = method === "HEAD" || BODILESS_STATUSES.has(status);
  if (isBodiless) incoming.resume();
  const body = isBodiless ? null : webBodyOf(decode(incoming, headers));
  return new Response(body, { status, statusText, headers });
}

function ignore(): void {}
