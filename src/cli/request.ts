import type { ClientRequest, IncomingMessage } from "node:http";
import type { WireIds, WireRequest } from "../fetch/wire-ids.ts";
import { errorOf } from "./error-code.ts";
import { passedHeaders } from "./headers.ts";
import type { RequestBody } from "./request-body.ts";
import type { Upstream } from "./upstream.ts";

/** Every incoming request has both. */
export type ServerRequest = IncomingMessage & { readonly method: string; readonly url: string };

/** A request that is on its way to the server. */
export interface SentRequest {
  readonly wire: WireRequest;
  readonly outgoing: ClientRequest;
  /** Rejects where there is none. */
  readonly answer: Promise<IncomingMessage>;
}

/** These are sent without a length where they have no body. */
const BODILESS_METHODS: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "DELETE",
  "OPTIONS",
  "TRACE",
]);

/** What the request to the server says itself; Node's server has answered `Expect`. */
const OWN_HEADERS = ["host", "expect", "accept-encoding", "content-length"];

/**
 * Sends a request on, with the ids in its body that the server expects. Where none changes, the bytes are
 * those of the client, compressed or not.
 */
export function sendRequest(
  incoming: ServerRequest,
  body: RequestBody,
  path: string,
  { ids, upstream }: { readonly ids: WireIds; readonly upstream: Upstream },
): SentRequest {
  const { method, rawHeaders } = incoming;
  const wire = ids.request(method, body.text);
  const isChanged = wire.body !== undefined && wire.body !== body.text;
  const changed = isChanged ? Buffer.from(wire.body) : undefined;
  const dropped = changed === undefined ? OWN_HEADERS : [...OWN_HEADERS, "content-encoding"];
  const outgoing = upstream.request(method, path, [
    ...passedHeaders(rawHeaders, dropped),
    // Ids are found in plain bytes, and most servers compress only what is asked for so.
    "Accept-Encoding",
    "identity",
    ...framingOf(incoming, changed),
  ]);
  const answer = answerTo(outgoing);
  if (changed === undefined) sendBody(incoming, body, outgoing);
  else outgoing.end(changed);
  return { wire, outgoing, answer };
}

/** That of the client, unless the body is another. */
function framingOf({ method, headers }: ServerRequest, changed: Buffer | undefined): string[] {
  const length = changed === undefined ? headers["content-length"] : `${changed.length}`;
  if (length !== undefined) return ["Content-Length", length];
  if ("transfer-encoding" in headers) return ["Transfer-Encoding", "chunked"];
  // Node would send a body that is empty.
  return BODILESS_METHODS.has(method) ? [] : ["Content-Length", "0"];
}

function answerTo(outgoing: ClientRequest): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    outgoing.on("response", resolve).on("error", reject);
    // A server may switch protocols unasked: Node then reports nothing but the close.
    outgoing.on("close", () => reject(errorOf("ECONNRESET")));
  });
}

function sendBody(
  incoming: ServerRequest,
  { chunks, isWhole }: RequestBody,
  outgoing: ClientRequest,
): void {
  for (const chunk of chunks) outgoing.write(chunk);
  if (isWhole) outgoing.end();
  else incoming.pipe(outgoing);
  // A client may read the answer, also one of ours, only when it has sent everything.
  outgoing.on("close", () => incoming.unpipe(outgoing).resume());
}
