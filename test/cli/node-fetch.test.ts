import { buffer } from "node:stream/consumers";
import * as zlib from "node:zlib";
import { describe, expect, test } from "vitest";
import { nodeFetch } from "../../src/cli/node-fetch.ts";
import { deferred, proxyTo, serve } from "./proxied.ts";

const TEXT = "data: Grüße\n\n".repeat(500);
const deflated = zlib.deflateSync(TEXT);

/** Answers with its own kind of request. */
function serveEcho(): Promise<string> {
  return serve(async (request, response) => {
    const body = await buffer(request);
    const { method, headers } = request;
    response.end(JSON.stringify({ method, headers, body: body.toString() }));
  });
}

describe("a body", () => {
  test.each([
    { what: "none", body: null, length: "0", coding: undefined },
    { what: "text", body: "é", length: "2", coding: undefined },
    { what: "bytes", body: Buffer.from("é"), length: "2", coding: undefined },
    { what: "a stream", body: new Response("é").body, length: undefined, coding: "chunked" },
  ])("$what", async ({ body, length, coding }) => {
    const response = await nodeFetch(new URL(await serveEcho()), { method: "POST", body });
    const { headers, ...rest } = (await response.json()) as {
      headers: Record<string, string>;
      body: string;
    };
    expect(rest).toEqual({ method: "POST", body: body === null ? "" : "é" });
    expect([headers["content-length"], headers["transfer-encoding"]]).toEqual([length, coding]);
  });

  test("a stream that fails: the request fails", async () => {
    const body = new ReadableStream({
      pull(controller) {
        controller.error(new Error("No more"));
      },
    });
    await expect(nodeFetch(await serveEcho(), { method: "POST", body })).rejects.toThrow();
  });
});

test("without anything said: a GET that takes no compressed response", async () => {
  const response = await nodeFetch(await serveEcho());
  expect(await response.json()).toMatchObject({
    method: "GET",
    headers: { "accept-encoding": "identity" },
  });
});

describe("a response that is compressed all the same is decoded", () => {
  test.each([
    { encoding: "gzip", bytes: zlib.gzipSync(TEXT) },
    { encoding: "X-GZIP", bytes: zlib.gzipSync(TEXT) },
    { encoding: "deflate", bytes: deflated },
    { encoding: "br", bytes: zlib.brotliCompressSync(TEXT) },
    { encoding: "deflate, identity, gzip", bytes: zlib.gzipSync(deflated) },
  ])("$encoding", async ({ encoding, bytes }) => {
    const url = await serve((_request, response) => {
      const headers = { "content-encoding": encoding, "content-length": bytes.length };
      response.writeHead(200, headers).end(bytes);
    });
    const response = await nodeFetch(url);
    expect(await response.text()).toBe(TEXT);
    expect([...response.headers.keys()]).toEqual(["connection", "date", "keep-alive"]);
  });

  test("zstd, where Node has it", async () => {
    const { zstdCompressSync } = zlib as { zstdCompressSync?: typeof zlib.gzipSync };
    const url = await serve((_request, response) => {
      const bytes = zstdCompressSync?.(TEXT) ?? "";
      response.writeHead(200, { "content-encoding": "zstd" }).end(bytes);
    });
    const text = nodeFetch(url).then((response) => response.text());
    if (zstdCompressSync === undefined) await expect(text).rejects.toThrow("Cannot decode");
    else expect(await text).toBe(TEXT);
  });

  test("event by event, as the server flushes it", async () => {
    const gzip = zlib.createGzip();
    const flush = (): void => gzip.flush(zlib.constants.Z_SYNC_FLUSH);
    const url = await serve((_request, response) => {
      response.writeHead(200, { "content-encoding": "gzip" });
      gzip.pipe(response);
      gzip.write("data: 0\n\n");
      flush();
    });
    const events: string[] = [];
    for await (const chunk of (await nodeFetch(url)).body ?? []) {
      const count = events.push(new TextDecoder().decode(chunk));
      gzip.write(`data: ${count}\n\n`);
      if (count === 3) gzip.end();
      else flush();
    }
    expect(events.join("")).toBe("data: 0\n\ndata: 1\n\ndata: 2\n\ndata: 3\n\n");
  });

  test("but what Node cannot decode is an error, and the connection is closed", async () => {
    const closed = deferred();
    const url = await serve((_request, response) => {
      response.on("close", closed.resolve);
      response.writeHead(200, { "content-encoding": "x-own" }).write("a");
    });
    const message = "Cannot decode response: its content-encoding is x-own";
    await expect(nodeFetch(url)).rejects.toThrow(message);
    await closed.promise;
    const proxy = await proxyTo(url);
    expect(await fetch(proxy.url).then((response) => response.text())).toContain(
      `${url}: UNKNOWN_CONTENT_ENCODING`,
    );
  });
});

describe("a signal that is aborted closes the connection", () => {
  test("before the response", async () => {
    const asked = deferred();
    const closed = deferred();
    const url = await serve((_request, response) => {
      response.on("close", closed.resolve);
      asked.resolve();
    });
    const abort = new AbortController();
    asked.promise.then(() => abort.abort());
    await expect(nodeFetch(url, { signal: abort.signal })).rejects.toThrow();
    await closed.promise;
  });

  test("while it is read", async () => {
    const closed = deferred();
    const url = await serve((_request, response) => {
      response.on("close", closed.resolve);
      response.write("a");
    });
    const abort = new AbortController();
    const { body } = await nodeFetch(url, { signal: abort.signal });
    const reader = body?.getReader();
    await reader?.read();
    abort.abort();
    await expect(reader?.read()).rejects.toThrow();
    await closed.promise;
  });
});

test("a body that is cancelled closes the connection", async () => {
  const closed = deferred();
  const url = await serve((_request, response) => {
    response.on("close", closed.resolve);
    response.write("a");
  });
  const { body } = await nodeFetch(url);
  await body?.cancel();
  await closed.promise;
});
