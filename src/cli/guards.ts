import type { IncomingMessage } from "node:http";
import { elementsOf, hasKnownFraming, headerOf } from "./headers.ts";
import { isLoopback } from "./target.ts";

/** An answer of the proxy itself. */
export interface Refusal {
  readonly status: number;
  /** The `type` of the error in its body. */
  readonly type: string;
  readonly message: string;
  /** For the log. */
  readonly reason: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Clients that try a WebSocket first (Codex) fall back to HTTP at this status alone without trying again.
 * It is answered where requests are: with a listener for `upgrade`, Node would take those of clients that
 * offer HTTP/2 (`h2c`) away as well, which may go on as they are.
 */
const WEB_SOCKET: Refusal = {
  status: 426,
  type: "websocket_unsupported",
  message: "Cannot pass a WebSocket on: ask by HTTP, or ask the server directly",
  reason: "a WebSocket",
  // RFC 9110, 15.5.22: what to use instead.
  headers: { upgrade: "HTTP/1.1" },
};

/** The answer to a path that leads out of the target's. */
export const OUTSIDE: Refusal = {
  status: 400,
  type: "path_outside_target",
  message: "Cannot pass the request on: its path leads out of the path of --target",
  reason: "a path outside the target",
};

/** RFC 9112, 6.1. Passed on, its body would be another. */
const UNKNOWN_FRAMING: Refusal = {
  status: 501,
  type: "transfer_encoding_unsupported",
  message: "Cannot pass the request on: its transfer-encoding is not chunked alone",
  reason: "an unknown transfer-encoding",
};

/** @param origin of the server that gave no answer */
export function unreachable(origin: string, code: string): Refusal {
  return {
    status: 502,
    type: "upstream_unreachable",
    message: `Cannot get a response from ${origin}: ${code}`,
    reason: code,
  };
}

/**
 * Why a request is not passed on, if so.
 *
 * @param served the address that is listened on, and whether other machines are served too
 */
export function refusalOf(
  { rawHeaders, headers, url = "" }: IncomingMessage,
  served: { readonly host: string; readonly isOpen: boolean },
): Refusal | undefined {
  if (elementsOf(headerOf(rawHeaders, "upgrade")).includes("websocket")) return WEB_SOCKET;
  if (!hasKnownFraming(rawHeaders)) return UNKNOWN_FRAMING;
  const { host } = headers;
  // No web page can ask for a whole URL: that is a client that has this proxy as its forward proxy.
  if (served.isOpen || host === undefined || !url.startsWith("/")) return undefined;
  const name = host.replace(/:\d*$/, "");
  return isLoopback(name) || name === served.host ? undefined : foreignHost(host);
}

/** A web page whose name is made to lead here (DNS rebinding) could read what the server says. */
function foreignHost(host: string): Refusal {
  return {
    status: 421,
    type: "foreign_host",
    message: `Cannot answer for ${host}: the proxy is for this machine, unless --host says otherwise`,
    reason: `the foreign host ${host}`,
  };
}
