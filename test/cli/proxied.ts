import { createServer, request as httpRequest, type IncomingMessage } from "node:http";
import type { RequestListener, RequestOptions, Server } from "node:http";
import { type AddressInfo, connect, createServer as createRawServer, type Socket } from "node:net";
import { buffer, text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { type LogEntry, textOf } from "../../src/cli/log-line.ts";
import { type ProxyOptions, type RunningProxy, startProxy } from "../../src/cli/proxy.ts";

/** A server for one test. @returns its URL */
export async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => close(server));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

export interface TestProxy extends RunningProxy {
  /** The line of the request that ends first. */
  readonly logged: Promise<string>;
  /** The lines of all that have ended. */
  readonly lines: readonly string[];
}

/** A proxy for one test. */
export async function proxyTo(target: string, options?: Partial<ProxyOptions>): Promise<TestProxy> {
  const { promise: logged, resolve } = deferred<string>();
  const lines: string[] = [];
  const log = (entry: LogEntry): void => {
    const line = withoutTimes(textOf(entry));
    lines.push(line);
    resolve(line);
  };
  const base = { target: new URL(target), host: "127.0.0.1", port: 0, maxBody: 2 ** 20, log };
  const proxy = await startProxy({ ...base, ...options });
  onTestFinished(() => proxy.stop());
  return Object.assign(proxy, { logged, lines });
}

/** A line of the log without what differs from run to run. */
export function withoutTimes(line: string): string {
  return line.replace(/^\d{4}-\d\d-\d\dT\S+Z /, "").replace(/, \d+ ms/, "");
}

/** In front of a server that answers so. */
export async function proxyInFrontOf(listener: RequestListener): Promise<TestProxy> {
  return proxyTo(await serve(listener));
}

/** A request as it is written, where `fetch` would write another. */
export async function ask(
  url: string,
  { body = "", ...options }: RequestOptions & { body?: string | Buffer } = {},
): Promise<{ response: IncomingMessage; body: string }> {
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    httpRequest(url, { agent: false, ...options })
      .on("response", resolve)
      .on("error", reject)
      .end(body);
  });
  return { response, body: await text(response) };
}

/** What comes back on a connection, to its end. Text is latin1, a character for each byte. */
export async function exchangeRaw(url: string, request: string): Promise<string> {
  const socket = connectTo(url);
  socket.write(request, "latin1");
  return latin1(await buffer(socket));
}

/** A connection to a server. */
export function connectTo(url: string): Socket {
  const { hostname, port } = new URL(url);
  return connect(Number(port), hostname);
}

/** A server that answers each connection as it likes, once it has heard something. @returns its URL */
export async function serveRaw(answer: (socket: Socket, heard: string) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createRawServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("data", (chunk) => answer(socket, latin1(chunk)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function latin1(bytes: Buffer): string {
  return bytes.toString("latin1");
}

/** A promise, and what settles it. */
export function deferred<T = void>(): {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
} {
  // Promise.withResolvers is missing in Node 20.
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((onResolve) => {
    resolve = onResolve;
  });
  return { promise, resolve };
}
