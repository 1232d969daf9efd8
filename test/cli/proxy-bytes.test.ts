import { buffer } from "node:stream/consumers";
import * as zlib from "node:zlib";
import { describe, expect, test, vi } from "vitest";
import { WireIds } from "../../src/fetch/wire-ids.ts";
import { sse } from "../bodies.ts";
import { calls, entry, finish } from "../chat-chunks.ts";
import {
  ask,
  connectTo,
  deferred,
  exchangeRaw,
  proxyInFrontOf,
  proxyTo,
  serveRaw,
} from "./proxied.ts";

const STREAM_TYPE = { "content-type": "text/event-stream" };
const JSON_TYPE = { "content-type": "application/json" };
/** The bytes of "é" in UTF-8, and in latin1. */
const UTF8 = "\u00c3\u00a9";
const LATIN1 = "\u00e9";

const { zstdCompressSync } = zlib as { zstdCompressSync?: typeof zlib.gzipSync };
interface Coding {
  readonly coding: string;
  readonly compress: (bytes: Buffer) => Buffer;
  /** Whether this Node does not have it. */
  readonly isMissing?: boolean;
}

const CODINGS: readonly Coding[] = [
  { coding: "gzip", compress: zlib.gzipSync },
  { coding: "X-GZIP", compress: zlib.gzipSync },
  { coding: "br", compress: zlib.brotliCompressSync },
  { coding: "deflate", compress: zlib.deflateSync },
  { coding: "deflate", compress: zlib.deflateRawSync },
  {
    coding: "deflate, identity, gzip",
    compress: (bytes) => zlib.gzipSync(zlib.deflateSync(bytes)),
  },
  {
    coding: "zstd",
    compress: zstdCompressSync ?? zlib.gzipSync,
    isMissing: zstdCompressSync === undefined,
  },
];

/** Node 20 has no zstd. */
function testCodings(title: string, run: (coding: Coding) => Promise<void>): void {
  for (const coding of CODINGS) {
    test.skipIf(coding.isMissing)(title.replace("$coding", coding.coding), () => run(coding));
  }
}

describe("headers pass byte for byte", () => {
  test.each([
    ["POST", "Content-Length: 0\r\n"],
    ["PROPFIND", "Content-Length: 0\r\n"],
    ["GET", ""],
    ["DELETE", ""],
  ])("those of a %s without a body: '%s'", async (method, framing) => {
    const heard = deferred<string>();
    const target = await serveRaw((socket, request) => {
      heard.resolve(request);
      socket.end("HTTP/1.1 204 No Content\r\n\r\n");
    });
    const { url } = await proxyTo(target);
    await exchangeRaw(url, `${method} / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
    expect(await heard.promise).toBe(
      `${method} / HTTP/1.1\r\nHost: ${new URL(target).host}\r\nAccept-Encoding: identity\r\n` +
        `${framing}Connection: keep-alive\r\n\r\n`,
    );
  });

  test("those of a request, above 0x7f too", async () => {
    const heard = deferred<string>();
    const target = await serveRaw((socket, request) => {
      heard.resolve(request);
      socket.end("HTTP/1.1 204 No Content\r\n\r\n");
    });
    const { url } = await proxyTo(target);
    const lines = `X-Utf8: ${UTF8}\r\nx-Latin1: ${LATIN1}\r\nX-TWICE: a\r\nX-Twice: b\r\n`;
    await exchangeRaw(
      url,
      `GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${lines}\r\n`,
    );
    expect(await heard.promise).toBe(
      `GET / HTTP/1.1\r\nHost: ${new URL(target).host}\r\n${lines}` +
        "Accept-Encoding: identity\r\nConnection: keep-alive\r\n\r\n",
    );
  });

  test.each(["text/event-stream", "text/plain"])("those of an answer: %s", async (type) => {
    const head =
      `HTTP/1.1 200 ${LATIN1}\r\ncontent-Type: ${type}\r\nX-Utf8: ${UTF8}\r\nX-Latin1: ${LATIN1}\r\n` +
      "Set-Cookie: a\r\nSet-Cookie: b\r\n";
    const target = await serveRaw((socket) => socket.end(`${head}\r\n`, "latin1"));
    const { url } = await proxyTo(target);
    const answer = await exchangeRaw(url, "GET / HTTP/1.0\r\n\r\n");
    expect(answer).toBe(`${head.replace("1.0", "1.1")}Connection: close\r\n\r\n`);
  });

  test.each([
    ["behind the length", `Content-Length: 1\r\nContent-Disposition: a; filename="${UTF8}"`],
    ["before it", `Content-Disposition: a; filename="${UTF8}"\r\nContent-Length: 1`],
  ])("a Content-Disposition %s", async (_place, lines) => {
    const heard = deferred<string>();
    const target = await serveRaw((socket, request) => {
      heard.resolve(request);
      socket.end(`HTTP/1.1 200 OK\r\n${lines}\r\n\r\na`, "latin1");
    });
    const { url } = await proxyTo(target);
    const answer = await exchangeRaw(
      url,
      `PUT / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: a/b\r\n${lines}\r\n\r\na`,
    );
    for (const message of [await heard.promise, answer]) {
      expect(message).toContain(`\r\nContent-Disposition: a; filename="${UTF8}"\r\n`);
    }
  });
});

const HISTORY = { messages: [{ role: "user", content: "Grüße" }] };
const ANSWER = sse(calls(entry(0, "f:0", "f", "{}")), finish("tool_calls"), "[DONE]");
const UNIQUE = /"id":"call_\w+"/;

describe("an encoding that nobody knows passes, its body untouched", () => {
  test.each(["utf-8", "none", "aws-chunked", "gzip, x-own"])("%s", async (coding) => {
    const bytes = Buffer.from(ANSWER);
    const heard = deferred<{ coding: unknown; body: Buffer }>();
    const { url } = await proxyInFrontOf(async (request, response) => {
      const body = await buffer(request);
      heard.resolve({ coding: request.headers["content-encoding"], body });
      response.writeHead(200, { ...STREAM_TYPE, "content-encoding": coding }).end(bytes);
    });
    const body = JSON.stringify(HISTORY);
    const headers = { ...JSON_TYPE, "content-encoding": coding };
    const answer = await ask(url, { method: "POST", headers, body });
    expect(await heard.promise).toEqual({ coding, body: Buffer.from(body) });
    expect(answer.response.headers["content-encoding"]).toBe(coding);
    expect(answer.body).toBe(ANSWER);
  });
});

describe("a compressed request", () => {
  const input = [{ type: "function_call_output", call_id: "", output: "Grüße" }];

  testCodings("in $coding passes as it came, if no id changes", async (compressed) => {
    const { coding, compress } = compressed;
    const bytes = compress(Buffer.from(JSON.stringify(HISTORY)));
    const heard = deferred<{ coding: unknown; body: Buffer }>();
    const { url } = await proxyInFrontOf(async (request, response) => {
      const body = await buffer(request);
      heard.resolve({ coding: request.headers["content-encoding"], body });
      const message = { role: "assistant", tool_calls: [entry(0, "f:0", "f", "{}")] };
      const choices = [{ index: 0, message, finish_reason: "tool_calls" }];
      response.writeHead(200, JSON_TYPE).end(JSON.stringify({ choices }));
    });
    const headers = { ...JSON_TYPE, "content-encoding": coding };
    const { body } = await ask(url, { method: "POST", headers, body: bytes });
    expect(await heard.promise).toEqual({ coding, body: bytes });
    // It has been read all the same: JSON is renamed only in answer to a history.
    expect(body).toMatch(UNIQUE);
  });

  testCodings("in $coding goes on plain, if an id changes", async ({ coding, compress }) => {
    const output = [{ type: "function_call", call_id: "f:0", name: "f", arguments: "{}" }];
    const answer = JSON.stringify({ object: "response", output });
    const heard: { coding: unknown; length: unknown; body: string }[] = [];
    const { url } = await proxyInFrontOf(async (request, response) => {
      const { "content-encoding": encoding, "content-length": length } = request.headers;
      heard.push({ coding: encoding, length, body: `${await buffer(request)}` });
      response.writeHead(200, JSON_TYPE).end(answer);
    });
    const options = { method: "POST", headers: { ...JSON_TYPE, "content-encoding": coding } };
    const first = await ask(url, { ...options, body: compress(Buffer.from('{"tools":[]}')) });
    expect(first.body).toBe(answer);

    const asked = await ask(url, {
      ...options,
      body: compress(Buffer.from(JSON.stringify({ input: [], tools: [] }))),
    });
    const [{ call_id: id }] = JSON.parse(asked.body).output;
    const request = { previous_response_id: "r", input: [{ ...input[0], call_id: id }] };
    await ask(url, { ...options, body: compress(Buffer.from(JSON.stringify(request))) });
    const body = JSON.stringify(request).replace(id, "f:0");
    expect(heard[2]).toEqual({ coding: undefined, length: `${Buffer.byteLength(body)}`, body });
  });

  test.each([
    { what: "that is none", bytes: Buffer.from(JSON.stringify(HISTORY)) },
    { what: "that is cut", bytes: zlib.gzipSync(JSON.stringify(HISTORY)).subarray(0, -9) },
    {
      what: "that is no UTF-8",
      bytes: zlib.gzipSync(Buffer.from(`{"messages":"${LATIN1}"}`, "latin1")),
    },
    { what: "that is a bomb", bytes: zlib.gzipSync(`{"messages":"${" ".repeat(2 ** 21)}"}`) },
    { what: "without a history", bytes: zlib.gzipSync('{"input":"Hi"}') },
  ])("$what passes unread", async ({ bytes }) => {
    expect(await readOf(bytes, "gzip")).toBeUndefined();
  });
});

describe("a request", () => {
  test.each([
    ['{"messages":[]}', '{"messages":[]}'],
    // Embeddings.
    ['{"input":"Hi"}', undefined],
    ['{"input":["Hi"]}', undefined],
    ["", undefined],
  ])("%j is read as %j", async (body, text) => {
    expect(await readOf(Buffer.from(body))).toBe(text);
  });

  test("that is no UTF-8 passes unread", async () => {
    expect(await readOf(Buffer.from(`{"messages":"${LATIN1}"}`, "latin1"))).toBeUndefined();
  });
});

/** What is read of a request; its server must get it as it is. */
async function readOf(bytes: Buffer, coding = "identity"): Promise<string | undefined> {
  const heard = deferred<Buffer>();
  const { url } = await proxyInFrontOf(async (request, response) => {
    heard.resolve(await buffer(request));
    response.end();
  });
  const read = vi.spyOn(WireIds.prototype, "request");
  const headers = { ...JSON_TYPE, "content-encoding": coding };
  await ask(url, { method: "POST", headers, body: bytes });
  const [[, text] = []] = read.mock.calls;
  read.mockRestore();
  expect(await heard.promise).toEqual(bytes);
  return text;
}

describe("a compressed answer", () => {
  testCodings("in $coding is decoded to be renamed", async ({ coding, compress }) => {
    const bytes = compress(Buffer.from(ANSWER));
    const { url } = await proxyInFrontOf((_request, response) => {
      const headers = { "content-encoding": coding, "content-length": bytes.length };
      response.writeHead(200, { ...STREAM_TYPE, ...headers }).end(bytes);
    });
    const { response, body } = await ask(url);
    expect(body).toMatch(UNIQUE);
    expect(body.replace(UNIQUE, '"id":"f:0"')).toBe(ANSWER);
    expect(response.headers).not.toHaveProperty("content-encoding");
    expect(response.headers).not.toHaveProperty("content-length");
  });

  testCodings("in $coding stays so, if it passes as it is", async ({ coding, compress }) => {
    const bytes = compress(Buffer.from(ANSWER));
    const { url } = await proxyInFrontOf((_request, response) => {
      response.writeHead(200, { "content-type": "text/plain", "content-encoding": coding });
      response.end(bytes);
    });
    const socket = connectTo(url);
    socket.write("GET / HTTP/1.0\r\n\r\n");
    const all = await buffer(socket);
    const end = all.indexOf("\r\n\r\n");
    expect(`${all.subarray(0, end)}`).toContain(`\r\ncontent-encoding: ${coding}`);
    expect(all.subarray(end + 4)).toEqual(bytes);
  });

  test.each(["gzip", "deflate"])("in %s comes event by event", async (coding) => {
    const encoder = coding === "gzip" ? zlib.createGzip() : zlib.createDeflate();
    const flush = (): void => encoder.flush(zlib.constants.Z_SYNC_FLUSH);
    const { url } = await proxyInFrontOf((_request, response) => {
      response.writeHead(200, { ...STREAM_TYPE, "content-encoding": coding });
      encoder.pipe(response);
      encoder.write("data: 0\n\n");
      flush();
    });
    const events: string[] = [];
    for await (const chunk of (await fetch(url)).body ?? []) {
      const count = events.push(new TextDecoder().decode(chunk));
      encoder.write(`data: ${count}\n\n`);
      if (count === 3) encoder.end();
      else flush();
    }
    expect(events.join("")).toBe("data: 0\n\ndata: 1\n\ndata: 2\n\ndata: 3\n\n");
  });

  test.each(["gzip", "deflate"])("in %s, empty", async (coding) => {
    const { url } = await proxyInFrontOf((_request, response) => {
      const headers = { "content-encoding": coding, "content-length": 0 };
      response.writeHead(200, { ...STREAM_TYPE, ...headers }).end();
    });
    const { response, body } = await ask(url);
    expect([response.statusCode, body]).toEqual([200, ""]);
  });

  test("in deflate, of no chunks", async () => {
    const { url } = await proxyInFrontOf((_request, response) => {
      response.writeHead(200, { ...STREAM_TYPE, "content-encoding": "deflate" }).end();
    });
    expect((await ask(url)).body).toBe("");
  });

  test.each(["gzip", "deflate"])("in %s, broken, is cut", async (coding) => {
    const bytes = coding === "gzip" ? zlib.gzipSync(ANSWER) : zlib.deflateSync(ANSWER);
    bytes.fill(0xff, 20);
    const { url, logged } = await proxyInFrontOf((_request, response) => {
      response.writeHead(200, { ...STREAM_TYPE, "content-encoding": coding }).end(bytes);
    });
    await expect(ask(url)).rejects.toThrow("aborted");
    expect(await logged).toMatch(/, cut by the server: Z_DATA_ERROR$/);
  });
});
