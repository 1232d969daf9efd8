import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { finished } from "node:stream/promises";
import { fetchRenamed } from "../fetch/unique-tool-call-ids.ts";
import type { WireIds } from "../fetch/wire-ids.ts";
import { deleteHopByHop, headersOf, linesOf } from "./headers.ts";
import { nodeFetch } from "./node-fetch.ts";
import { webBodyOf } from "./web-body.ts";

const BAD_GATEWAY = 502;

/** Every incoming request has both. */
type ServerRequest = IncomingMessage & { readonly method: string; readonly url: string };

/** One request to the proxy, and its outcome. */
export class Exchange {
  #incoming: ServerRequest;
  #outgoing: ServerResponse;
  #path: string;
  #stopping: AbortSignal;
  /** Aborted when the client's connection closes, even after the response has ended. */
  #closed = new AbortController();
  /** The calls that have been given an id; some are reported twice. */
  #renamed = new Set<string>();

  /** @param stopping is aborted when the proxy stops */
  constructor(incoming: IncomingMessage, outgoing: ServerResponse, stopping: AbortSignal) {
    this.#incoming = incoming as ServerRequest;
    this.#outgoing = outgoing;
    this.#stopping = stopping;
    this.#path = pathOf(this.#incoming.url);
    // A late write is an error, and nothing else would see it.
    for (const end of ["close", "error"]) outgoing.on(end, () => this.#closed.abort());
    // A response that waits for an earlier one has no socket yet: it would not see the socket close.
    const { socket } = incoming;
    const tell = (): void => {
      if (outgoing.socket === null && !outgoing.writableFinished) outgoing.emit("close");
    };
    socket.once("close", tell);
    outgoing.once("close", () => socket.off("close", tell));
  }

  /** @returns the line for the log: no query, no header and no body, since they may hold keys */
  async run(ids: WireIds, prefix: string): Promise<string> {
    const end = await this.#forward(ids, prefix);
    const { headersSent, statusCode } = this.#outgoing;
    const [path] = this.#path.split("?");
    const calls = this.#renamed.size === 1 ? "1 call" : `${this.#renamed.size} calls`;
    const status = headersSent ? statusCode : "-";
    return `${this.#incoming.method} ${path} ${status} ${calls} renamed${end}`;
  }

  async #forward(ids: WireIds, prefix: string): Promise<string> {
    const outgoing = this.#outgoing;
    try {
      await this.#send(await this.#request(ids, prefix));
      return "";
    } catch (error) {
      if (this.#stopping.aborted) return ", cut by the proxy, which stops";
      if (this.#closed.signal.aborted) return ", closed by the client";
      if (outgoing.headersSent) {
        // Never a clean end: the client would take its part for the whole.
        outgoing.destroy();
        return ", cut by the server";
      }
      refuse(outgoing, prefix, error as NodeJS.ErrnoException);
      return "";
    }
  }

  async #request(ids: WireIds, prefix: string): Promise<Response> {
    const { method, rawHeaders } = this.#incoming;
    const headers = headersOf(rawHeaders);
    const hasBody = headers.has("content-length") || headers.has("transfer-encoding");
    deleteHopByHop(headers);
    headers.delete("host");
    // Node's server has answered it already.
    headers.delete("expect");
    const init = { method, headers, signal: this.#closed.signal, redirect: "manual" } as const;
    const body = hasBody ? await this.#body(headers) : null;
    const url = `${prefix}${this.#path}`;
    return fetchRenamed(nodeFetch, ids, url, { ...init, body }, ({ id }) => {
      this.#renamed.add(id);
    });
  }

  /** JSON, and a body without a type, is read whole: it may be a history. All else streams through. */
  async #body(headers: Headers): Promise<BodyInit> {
    const isJson = /^$|\bjson\b/i.test(headers.get("content-type") ?? "");
    if (!isJson) return webBodyOf(this.#incoming, "drain");
    return (await buffer(this.#incoming)) as Uint8Array<ArrayBuffer>;
  }

  async #send({ status, statusText, headers, body }: Response): Promise<void> {
    const outgoing = this.#outgoing;
    deleteHopByHop(headers);
    outgoing.sendDate = false;
    outgoing.writeHead(status, statusText, linesOf(headers));
    // The first event may take its time, and clients wait for the headers.
    outgoing.flushHeaders();
    const { signal } = this.#closed;
    for await (const chunk of body ?? []) {
      if (!outgoing.write(chunk)) await once(outgoing, "drain", { signal });
    }
    outgoing.end();
    await finished(outgoing);
  }
}

/** The path and the query. A client that uses us as a forward proxy sends a whole URL. */
function pathOf(url: string): string {
  const path = url.replace(/^[a-z]+:\/\/[^/?]*/i, "");
  // `OPTIONS *` is about the server.
  return path.startsWith("/") ? path : `/${path.replace("*", "")}`;
}

function refuse(outgoing: ServerResponse, prefix: string, error: NodeJS.ErrnoException): void {
  const { code = error.name } = error;
  // Messages may quote a header; codes do not.
  const message = `Cannot get a response from ${new URL(prefix).origin}: ${code}`;
  const body = { error: { type: "upstream_unreachable", message } };
  outgoing.writeHead(BAD_GATEWAY, { "content-type": "application/json" });
  outgoing.end(JSON.stringify(body));
}
