import type { ClientRequest, IncomingMessage, ServerResponse } from "node:http";
import type { WireIds } from "../fetch/wire-ids.ts";
import { sendAnswer } from "./answer.ts";
import { codeOf, errorOf } from "./error-code.ts";
import { OUTSIDE, type Refusal, refusalOf, unreachable } from "./guards.ts";
import type { Ending, LogEntry } from "./log-line.ts";
import { type SentRequest, sendRequest, type ServerRequest } from "./request.ts";
import { readRequestBody } from "./request-body.ts";
import { pathBehind } from "./target.ts";
import type { Upstream } from "./upstream.ts";

/** What all requests to a proxy share. */
export interface Shared {
  readonly ids: WireIds;
  readonly upstream: Upstream;
  /** The address that was asked for. */
  readonly host: string;
  /** Whether other machines are served too. */
  readonly isOpen: boolean;
  readonly maxBody: number;
  /** Aborted when the proxy cuts what is open. */
  readonly stopping: AbortSignal;
}

/** One request to the proxy, and its outcome. */
export class Exchange {
  #incoming: ServerRequest;
  #outgoing: ServerResponse;
  #shared: Shared;
  #time = new Date();
  #start = performance.now();
  /** Rejects when the client goes. */
  #gone: Promise<never>;
  #reject!: (error: Error) => void;
  #isGone = false;
  #forwarded: ClientRequest | undefined;
  /** The calls that have been given an id; some are reported twice. */
  #renamed = new Set<string>();

  constructor(incoming: IncomingMessage, outgoing: ServerResponse, shared: Shared) {
    this.#incoming = incoming as ServerRequest;
    this.#outgoing = outgoing;
    this.#shared = shared;
    this.#gone = new Promise((_resolve, reject) => {
      this.#reject = reject;
    });
    this.#gone.catch(() => {});
    // A late write is an error, and nothing else would see it.
    for (const end of ["close", "error"]) outgoing.on(end, () => this.leave());
  }

  /** The connection of the client is closed, or the answer is over. */
  leave(): void {
    this.#forwarded?.destroy();
    if (this.#outgoing.writableFinished) return;
    this.#isGone = true;
    this.#reject(errorOf("ECONNABORTED"));
  }

  /** @returns what the log says of it */
  async run(): Promise<LogEntry> {
    const { upstream, stopping } = this.#shared;
    const behind = pathBehind(upstream.basePath, this.#incoming.url);
    const path = behind ?? this.#incoming.url;
    const refusal = refusalOf(this.#incoming, this.#shared) ?? (behind === undefined && OUTSIDE);
    if (refusal) return this.#refuse(path, refusal);
    try {
      const broken = await Promise.race([this.#forward(path), this.#gone]);
      if (broken === undefined) return this.#entry(path, "whole");
      this.#cut();
      return this.#entry(path, "cut by the server", broken);
    } catch (error) {
      if (stopping.aborted) return this.#entry(path, "cut by the proxy", "it stops");
      if (this.#isGone) return this.#entry(path, "closed by the client");
      if (this.#outgoing.headersSent) {
        this.#cut();
        return this.#entry(path, "cut by the proxy", codeOf(error));
      }
      this.#forwarded?.destroy();
      return this.#refuse(path, unreachable(upstream.origin, codeOf(error)));
    }
  }

  async #forward(path: string): Promise<string | undefined> {
    const { wire, answer } = await this.#ask(path);
    return sendAnswer(wire, await answer, this.#outgoing, ({ id }) => this.#renamed.add(id));
  }

  /** On its own, lest the body is held while the answer comes. */
  async #ask(path: string): Promise<SentRequest> {
    const body = await readRequestBody(this.#incoming, this.#shared.maxBody);
    if (this.#isGone) throw errorOf("ECONNABORTED");
    const sent = sendRequest(this.#incoming, body, path, this.#shared);
    this.#forwarded = sent.outgoing;
    return sent;
  }

  /** Never a clean end: the client would take its part for the whole. */
  #cut(): void {
    this.#forwarded?.destroy();
    // Without chunks or a length, the end of the connection is the end of the body.
    if (this.#incoming.httpVersion === "1.0") this.#incoming.socket.resetAndDestroy();
    this.#outgoing.destroy();
  }

  #refuse(path: string, { status, type, message, reason, headers }: Refusal): LogEntry {
    const body = JSON.stringify({ error: { type, message } });
    this.#outgoing.writeHead(status, { ...headers, "Content-Type": "application/json" }).end(body);
    return this.#entry(path, "whole", reason, "proxy");
  }

  #entry(
    path: string,
    ending: Ending,
    reason?: string,
    by: "server" | "proxy" = "server",
  ): LogEntry {
    const { headersSent, statusCode } = this.#outgoing;
    const [asked = ""] = path.split("?");
    return {
      time: this.#time,
      method: this.#incoming.method,
      path: asked,
      status: headersSent ? statusCode : undefined,
      by,
      reason,
      ending,
      milliseconds: Math.round(performance.now() - this.#start),
      renamed: this.#renamed.size,
    };
  }
}
