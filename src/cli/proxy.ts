import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { WireIds } from "../fetch/wire-ids.ts";
import { Exchange, type Shared } from "./exchange.ts";
import type { LogEntry } from "./log-line.ts";
import { http } from "./node-http.ts";
import { isLoopback, leadsBack } from "./target.ts";
import { type Environment, Upstream } from "./upstream.ts";

/** Longer than clients keep a connection, lest a request meets one that closes. */
const KEEP_ALIVE_MS = 75_000;

export interface ProxyOptions {
  /** The URL before every path. */
  readonly target: URL;
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
  readonly history?: "kimi-k2" | undefined;
  /** The most bytes of a request that are held in memory. */
  readonly maxBody: number;
  /** Names the proxy that stands before the target, if one does. */
  readonly environment?: Environment | undefined;
  /** Hears of each request that has ended. */
  readonly log: (entry: LogEntry) => void;
}

/** A server that listens. */
export interface RunningProxy {
  readonly url: string;
  /** Whether other machines can reach it. */
  readonly isOpen: boolean;
  /** How many requests are open. */
  readonly openRequests: number;
  /** Takes no more connections; settles when the last request has ended. */
  drain(): Promise<void>;
  /** Cuts all open connections; settles when they are closed. */
  stop(): Promise<void>;
}

/** @throws when it cannot listen, or would send its requests to itself */
export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  const { target, host, port, history, maxBody, environment, log } = options;
  const upstream = new Upstream(target, environment);
  const stopping = new AbortController();
  const ids = new WireIds({ history });
  // A request may take any time to arrive: it may be large, and the network slow.
  const server = http.createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 });
  const address = await listen(server, host, port);
  const isOpen = !isLoopback(address.address);
  const shared = { ids, upstream, host, isOpen, maxBody, stopping: stopping.signal };
  const open = serveWith(server, shared, log);
  const closed = once(server, "close");
  const stop = async (): Promise<void> => {
    stopping.abort();
    server.close();
    server.closeAllConnections();
    upstream.close();
    await Promise.all([closed, ...open]);
  };
  if (await leadsBack(target, address)) {
    await stop();
    throw new Error(`Cannot forward to ${target.origin}: that is this proxy itself`);
  }
  return {
    url: urlOf(address),
    isOpen,
    get openRequests() {
      return open.size;
    },
    async drain() {
      server.close();
      while (open.size > 0) await Promise.all(open);
    },
    stop,
  };
}

async function listen(server: Server, host: string, port: number): Promise<AddressInfo> {
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    throw new Error(`Cannot listen on ${host}:${port}: ${reasonOf(error)}`, { cause: error });
  }
  return server.address() as AddressInfo;
}

/** @returns the requests that are open */
function serveWith(
  server: Server,
  shared: Shared,
  log: (entry: LogEntry) => void,
): ReadonlySet<Promise<void>> {
  const open = new Set<Promise<void>>();
  /** Of each connection: it has several where requests are pipelined, and all but one see no close. */
  const exchanges = new WeakMap<Socket, Set<Exchange>>();
  server.on("connection", (socket: Socket) => {
    const own = new Set<Exchange>();
    exchanges.set(socket, own);
    socket.on("close", () => {
      for (const exchange of own) exchange.leave();
    });
  });
  const follow = async (exchange: Exchange, siblings: Set<Exchange>): Promise<void> => {
    siblings.add(exchange);
    log(await exchange.run());
    siblings.delete(exchange);
  };
  server.on("request", (incoming, outgoing) => {
    const exchange = new Exchange(incoming, outgoing, shared);
    // Its connection has been seen before it.
    const ending = follow(exchange, exchanges.get(incoming.socket) as Set<Exchange>);
    open.add(ending);
    ending.finally(() => {
      open.delete(ending);
      // Its connection is no longer of use when the proxy takes no more requests.
      if (!server.listening) server.closeIdleConnections();
    });
  });
  return open;
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === "EADDRINUSE" ? "the port is taken" : message;
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
