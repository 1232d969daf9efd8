import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Exchange } from "./exchange.ts";
import { WireIds } from "../fetch/wire-ids.ts";

/** Longer than clients keep a connection, lest a request meets one that closes. */
const KEEP_ALIVE_MS = 75_000;

export interface ProxyOptions {
  /** The URL before every path. */
  readonly target: URL;
  readonly host: string;
  /** 0 for a free one. */
  readonly port: number;
  readonly history?: "kimi-k2" | undefined;
  /** Gets one line for each request that has ended. */
  readonly log: (line: string) => void;
}

/** A server that listens. */
export interface RunningProxy {
  readonly url: string;
  /** Cuts all open connections; settles when they are closed. */
  stop(): Promise<void>;
}

/** @throws when it cannot listen */
export async function startProxy(options: ProxyOptions): Promise<RunningProxy> {
  const { target, host, port, history, log } = options;
  const ids = new WireIds({ history });
  const prefix = target.href.replace(/\/$/, "");
  const stopping = new AbortController();
  const open = new Set<Promise<void>>();
  // A request may take any time to arrive: it may be large, and the network slow.
  const settings = { keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0 };
  const server = createServer(settings, (incoming, outgoing) => {
    const exchange = new Exchange(incoming, outgoing, stopping.signal).run(ids, prefix).then(log);
    open.add(exchange);
    exchange.finally(() => open.delete(exchange));
  });
  server.listen(port, host);
  try {
    await once(server, "listening");
  } catch (error) {
    throw new Error(`Cannot listen on ${host}:${port}: ${reasonOf(error)}`, { cause: error });
  }
  return {
    url: urlOf(server.address() as AddressInfo),
    async stop() {
      stopping.abort();
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await Promise.all([closed, ...open]);
    },
  };
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === "EADDRINUSE" ? "the port is taken" : message;
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === "IPv6" ? `[${address}]` : address}:${port}`;
}
