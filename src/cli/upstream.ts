import type { Agent, ClientRequest, OutgoingHttpHeaders } from "node:http";
import https from "node:https";
import type { Duplex } from "node:stream";
import { http } from "./node-http.ts";

/** Between TCP probes: no router on the way must take a thinking model for a dead one. */
const PROBE_INTERVAL_MS = 30_000;

/**
 * How long a connection without a request is kept. Servers close idle ones after 2 seconds (gunicorn) or
 * more (5 in uvicorn and Node). One that closes just as a request goes out leaves open whether the server
 * has read it, and to send a POST again may mean to pay for it twice. So nothing is ever sent again, and
 * only connections that no server closes yet are used again.
 */
const FRESH_MS = 1000;

/** For Node's own way to a proxy in front of the server. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The server behind the proxy. */
export class Upstream {
  /** The path before every other, without a slash at its end. */
  readonly basePath: string;
  readonly origin: string;
  #target: URL;
  #agent: Agent;

  constructor(target: URL, environment: Environment = {}, freshMs: number = FRESH_MS) {
    this.#target = target;
    this.origin = target.origin;
    this.basePath = target.pathname.replace(/\/$/, "");
    const settings = { keepAlive: true, proxyEnv: environment };
    const isSecure = target.protocol === "https:";
    const agent = isSecure ? new https.Agent(settings) : new http.Agent(settings);
    this.#agent = keptFresh(agent, freshMs);
  }

  /** Begins a request. The path goes out as it is: a parsed one has its dots resolved. */
  request(method: string, path: string, headers: readonly string[]): ClientRequest {
    const { request } = this.#target.protocol === "https:" ? https : http;
    // Flat, as in rawHeaders: the types know objects alone.
    const lines = ["Host", this.#target.host, ...headers] as unknown as OutgoingHttpHeaders;
    const outgoing = request(this.#target, { agent: this.#agent, method, path, headers: lines });
    outgoing.setSocketKeepAlive(true, PROBE_INTERVAL_MS);
    return outgoing;
  }

  /** Closes the connections that are kept. */
  close(): void {
    this.#agent.destroy();
  }
}

/** An agent that closes what has rested too long, and what speaks without being asked. */
function keptFresh(agent: Agent, freshMs: number): Agent {
  const { keepSocketAlive, reuseSocket } = agent;
  const wake = new WeakMap<Duplex, () => void>();
  agent.keepSocketAlive = (socket) => {
    const close = (): void => void socket.destroy();
    const timer = setTimeout(close, freshMs).unref();
    // It would be taken for the answer to the next request.
    socket.once("data", close);
    wake.set(socket, () => {
      clearTimeout(timer);
      socket.off("data", close);
    });
    return keepSocketAlive.call(agent, socket);
  };
  agent.reuseSocket = (socket, request) => {
    wake.get(socket)?.();
    reuseSocket.call(agent, socket, request);
  };
  return agent;
}
