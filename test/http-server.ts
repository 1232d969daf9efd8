import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";
import { constants, createGzip } from "node:zlib";
import type { TestProject } from "vitest/node";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the server of the HTTP tests listens. */
    readonly serverUrl: string;
  }
}

/** In bytes: short enough to cut names, line ends and characters in two. */
const PIECE_LENGTH = 5;
/** In milliseconds: long enough for the network not to join two pieces, most of the time. */
const PIECE_DELAY = 1;
const KEEP_ALIVE_DELAY = 20;

/**
 * A server that answers a POST with the body of the request, as an event stream:
 *
 * - `/cut`: in small pieces
 * - `/gzip`: in small pieces, compressed
 * - `/hold?key=…`: at once; then the connection is kept alive with comments
 *
 * and lets the tests have a say in, and a look at, a connection that it holds:
 *
 * - `/reset?key=…`: breaks it off; 404 if the client has closed it
 * - `/closed?key=…`: answers when the client has closed it
 */
export default async function startServer(project: TestProject): Promise<() => Promise<void>> {
  const held = new Map<string, ServerResponse>();
  const server = createServer(async (request, response) => {
    // The page of a test in a browser comes from another server.
    response.setHeader("access-control-allow-origin", "*");
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    const key = searchParams.get("key") ?? "";
    const connection = held.get(key);
    switch (pathname) {
      case "/cut":
        await cut(request, response);
        break;
      case "/gzip":
        await gzip(request, response);
        break;
      case "/hold":
        held.set(key, response);
        response.on("close", () => held.delete(key));
        await hold(request, response);
        break;
      case "/reset":
        connection?.socket?.resetAndDestroy();
        response.writeHead(connection === undefined ? 404 : 204).end();
        break;
      case "/closed":
        if (connection === undefined) response.end();
        else connection.on("close", () => response.end());
        break;
      default:
        response.writeHead(404).end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  project.provide("serverUrl", `http://127.0.0.1:${(server.address() as AddressInfo).port}`);

  return () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
}

async function cut(request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader("content-type", "text/event-stream");
  await writePieces(await buffer(request), response);
  response.end();
}

async function gzip(request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader("content-type", "text/event-stream");
  response.setHeader("content-encoding", "gzip");
  const compressed = createGzip({ flush: constants.Z_SYNC_FLUSH });
  compressed.pipe(response);
  await writePieces(await buffer(request), compressed);
  compressed.end();
}

async function hold(request: IncomingMessage, response: ServerResponse): Promise<void> {
  response.setHeader("content-type", "text/event-stream");
  response.write(await buffer(request));
  // Firefox closes the connection of a body that nobody wants only when more of it arrives.
  const timer = setInterval(() => response.write(": keep-alive\n\n"), KEEP_ALIVE_DELAY);
  response.on("close", () => clearInterval(timer));
}

async function writePieces(body: Buffer, target: NodeJS.WritableStream): Promise<void> {
  for (let start = 0; start < body.length; start += PIECE_LENGTH) {
    target.write(body.subarray(start, start + PIECE_LENGTH));
    await sleep(PIECE_DELAY);
  }
}
