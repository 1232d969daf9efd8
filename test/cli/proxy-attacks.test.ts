import { once } from "node:events";
import type { IncomingMessage } from "node:http";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { refusalOf } from "../../src/cli/guards.ts";
import { sse } from "../bodies.ts";
import { calls, entry, finish } from "../chat-chunks.ts";
import {
  ask,
  connectTo,
  deferred,
  exchangeRaw,
  proxyInFrontOf,
  proxyTo,
  serve,
  serveRaw,
} from "./proxied.ts";

const HOST = "Host: localhost\r\n";
const POST = `POST /v1 HTTP/1.1\r\n${HOST}`;
const CHUNKED = "Transfer-Encoding: chunked\r\n";
/** A request that must not be taken for one. */
const HIDDEN = "GET /hidden HTTP/1.1\r\nHost: localhost\r\n\r\n";

/** The requests that reach the server behind the proxy, byte for byte. */
async function proxyOverWire(): Promise<{ url: string; heard: string[] }> {
  const heard: string[] = [];
  const target = await serveRaw((socket, request) => {
    heard.push(request);
    socket.end("HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok");
  });
  const { url } = await proxyTo(target);
  return { url, heard };
}

describe("a request that two servers may read in two ways reaches none", () => {
  test.each([
    ["a length and chunks", `${POST}Content-Length: 6\r\n${CHUNKED}\r\n0\r\n\r\n${HIDDEN}`],
    ["chunks and a length", `${POST}${CHUNKED}Content-Length: 6\r\n\r\n0\r\n\r\n${HIDDEN}`],
    ["two lengths", `${POST}Content-Length: 1\r\nContent-Length: 2\r\n\r\na${HIDDEN}`],
    ["a length with a sign", `${POST}Content-Length: +1\r\n\r\na${HIDDEN}`],
    ["a length that is none", `${POST}Content-Length: 0x1\r\n\r\na${HIDDEN}`],
    ["a length that overflows", `${POST}Content-Length: 99999999999999999999\r\n\r\na`],
    ["a blank before the colon", `${POST}Content-Length : 1\r\n\r\na`],
    ["chunks that are not last", `${POST}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
    ["a name with a control character", `${POST}X\u0001: a\r\n\r\n`],
    ["a value with a zero", `${POST}X: a\u0000b\r\n\r\n`],
    ["a carriage return alone in a value", `${POST}X: a\rGET /hidden HTTP/1.1\r\n\r\n`],
    ["a line end in the path", `GET /a\nGET /hidden HTTP/1.1\r\n${HOST}\r\n`],
    ["no Host", "GET / HTTP/1.1\r\n\r\n"],
    ["another version", `GET / HTTP/3.0\r\n${HOST}\r\n`],
  ])("%s", async (_what, request) => {
    const { url, heard } = await proxyOverWire();
    expect(await exchangeRaw(url, request)).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/);
    expect(heard).toEqual([]);
  });

  // They would be passed on without their names.
  test.each(["gzip, chunked", "xchunked"])("a transfer-encoding of %s: 501", async (coding) => {
    const { url, heard } = await proxyOverWire();
    const framing = `Connection: close\r\nTransfer-Encoding: ${coding}\r\n\r\n`;
    const request = `${POST}${framing}1\r\na\r\n0\r\n\r\n`;
    expect(await exchangeRaw(url, request)).toMatch(/^HTTP\/1.1 501 [^]*unsupported/);
    expect(heard).toEqual([]);
  });

  test.each([
    ["a size that is none", "zz\r\na\r\n0\r\n\r\n"],
    ["a size below zero", "-1\r\na\r\n0\r\n\r\n"],
    ["a size that overflows", "fffffffffffffffff\r\na\r\n0\r\n\r\n"],
    ["more bytes than its size", `1\r\nab\r\n0\r\n\r\n`],
  ])("a chunk of %s", async (_what, body) => {
    const { url, heard } = await proxyOverWire();
    const answer = await exchangeRaw(
      url,
      `${POST}Content-Type: application/json\r\n${CHUNKED}\r\n${body}`,
    );
    expect(answer).not.toContain("200 OK");
    expect(heard).toEqual([]);
  });
});

describe("what stays one request", () => {
  test("a body that looks like another", async () => {
    const asked: unknown[] = [];
    const { url } = await proxyInFrontOf(async (request, response) => {
      asked.push([request.url, await text(request)]);
      response.end("ok");
    });
    const length = `Content-Length: ${HIDDEN.length}\r\n\r\n`;
    await exchangeRaw(url, `${POST}Connection: close\r\n${length}${HIDDEN}`);
    expect(asked).toEqual([["/v1", HIDDEN]]);
  });

  test("a path with line ends that are escaped", async () => {
    const { url, heard } = await proxyOverWire();
    await exchangeRaw(url, `GET /a%0d%0aX:%20b HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`);
    expect(heard.join("")).toMatch(/^GET \/a%0d%0aX:%20b HTTP\/1.1\r\nHost: /);
  });

  test("one whose headers are named as those of the connection", async () => {
    const { url, heard } = await proxyOverWire();
    const named = "Connection: close, content-length, host, x-a\r\nX-A: b\r\n";
    await exchangeRaw(url, `${POST}${named}Content-Type: a/b\r\nContent-Length: 1\r\n\r\na`);
    expect(heard.join("")).toContain("\r\nContent-Length: 1\r\n");
    expect(heard.join("")).not.toContain("X-A");
  });
});

describe("an answer that is none: 502", () => {
  const OK = "HTTP/1.1 200 OK\r\n";
  test.each([
    ["a length and chunks", `${OK}Content-Length: 5\r\n${CHUNKED}\r\n0\r\n\r\n`],
    ["two lengths", `${OK}Content-Length: 1\r\nContent-Length: 2\r\n\r\nab`],
    ["a value with a zero", `${OK}X: a\u0000b\r\n\r\n`],
    ["a carriage return alone in a value", `${OK}X: a\rSet-Cookie: b\r\n\r\n`],
    ["headers without end", `${OK}${`X: ${"a".repeat(1000)}\r\n`.repeat(100)}\r\n`],
    ["an encoding below the chunks", `${OK}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
    ["a status below 100", "HTTP/1.1 099 Odd\r\nContent-Length: 0\r\n\r\n"],
    ["no HTTP", "SSH-2.0-OpenSSH\r\n"],
    ["nothing", ""],
  ])("%s", async (_what, answer) => {
    const target = await serveRaw((socket) => socket.end(answer, "latin1"));
    const { url, logged } = await proxyTo(target);
    const { response, body } = await ask(url);
    expect(response.statusCode).toBe(502);
    expect(JSON.parse(body).error.message).toMatch(/^Cannot get a response from http:[^ ]+: \w+$/);
    expect(await logged).toMatch(/^GET \/ 502 by the proxy: \w+, /);
  });

  test("but a status that no standard has passes", async () => {
    const { url } = await proxyInFrontOf((_request, response) => response.writeHead(999).end());
    expect((await ask(url)).response.statusCode).toBe(999);
  });

  test("and what comes before the answer is not the answer", async () => {
    const early = "HTTP/1.1 103 Early Hints\r\nLink: a\r\n\r\n";
    const target = await serveRaw((socket) => {
      socket.end(`${early}HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok`);
    });
    const { url } = await proxyTo(target);
    expect((await ask(url)).body).toBe("ok");
  });
});

test("a second answer to one request is not the answer to the next", async () => {
  let count = 0;
  const sent = deferred();
  const target = await serveRaw((socket) => {
    count += 1;
    socket.write(`HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n${count}`);
    if (count === 1) {
      // When the connection is at rest.
      setImmediate(() => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nother", () => sent.resolve());
      });
    }
  });
  const { url } = await proxyTo(target);
  const bodies: string[] = [];
  for (let ordinal = 0; ordinal < 3; ordinal += 1) {
    bodies.push((await ask(url)).body);
    await sent.promise;
  }
  expect(bodies).toEqual(["1", "2", "3"]);
});

describe("a body that breaks off", () => {
  const call = calls(entry(0, "f:0", "f", '{"a":1}'));
  const body = `: hi\r\n\r\n${sse(call, finish("tool_calls"), "[DONE]")}`;
  const RENAMED = /"id":"call_\w+"/;
  const AS_SENT = '"id":"f:0"';

  test("at any byte passes to its last byte, and never ends as if it were whole", async () => {
    let cut = 0;
    const target = await serveRaw((socket) => {
      const head =
        "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: 9999\r\n\r\n";
      socket.end(head + body.slice(0, cut));
    });
    const { url, lines } = await proxyTo(target);
    for (; cut <= body.length; cut += 1) {
      const answer = await exchangeRaw(url, `GET / HTTP/1.1\r\n${HOST}\r\n`);
      const [, chunks = ""] = answer.split(/\r\n\r\n([^]*)/);
      // The sizes of the chunks stand in lines of their own, and an end would be one of size 0.
      expect(chunks).not.toMatch(/(?:^|\r\n)0\r\n\r\n$/);
      const read = unchunked(chunks).replace(RENAMED, AS_SENT);
      expect(read).toBe(body.slice(0, cut));
    }
    expect(new Set(lines)).toEqual(
      new Set([
        "GET / 200 by the server, 0 calls renamed, cut by the server: ECONNRESET",
        "GET / 200 by the server, 1 call renamed, cut by the server: ECONNRESET",
      ]),
    );
  });

  test("passes to its last byte to a client that reads late", async () => {
    const long = `data: ${"x".repeat(2 ** 20)}\n\ndata: {"half":`;
    const ended = deferred();
    const target = await serve((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(long, () => {
        response.destroy();
        ended.resolve();
      });
    });
    const { url } = await proxyTo(target);
    const late = connectTo(url).pause();
    late.write(`GET / HTTP/1.1\r\n${HOST}\r\n`);
    await ended.promise;
    const [, chunks = ""] = (await text(late)).split(/\r\n\r\n([^]*)/);
    expect(unchunked(chunks)).toBe(long);
  });

  test("is no end for a client of HTTP/1.0 either, to whom the end of the connection is one", async () => {
    const read = deferred();
    const { url } = await proxyInFrontOf(async (_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).write("data: 1\n\n");
      await read.promise;
      response.destroy();
    });
    const socket = connectTo(url);
    socket.write("GET / HTTP/1.0\r\n\r\n");
    await once(socket, "data");
    read.resolve();
    const [error] = await once(socket, "error");
    expect(error).toMatchObject({ code: "ECONNRESET" });
  });

  test("in its chunks is cut", async () => {
    const target = await serveRaw((socket) => {
      socket.end(`HTTP/1.1 200 OK\r\n${CHUNKED}\r\n1\r\na\r\nzz\r\n`);
    });
    const { url, logged } = await proxyTo(target);
    await expect(ask(url)).rejects.toThrow("aborted");
    expect(await logged).toMatch(/, cut by the server: \w+$/);
  });
});

/** The bytes of chunks, of which the last may be cut. */
function unchunked(chunks: string): string {
  let rest = chunks;
  let bytes = "";
  while (rest !== "") {
    const [line = ""] = rest.split("\r\n", 1);
    const size = Number.parseInt(line, 16);
    bytes += rest.slice(line.length + 2, line.length + 2 + size);
    rest = rest.slice(line.length + 2 + size + 2);
  }
  return bytes;
}

describe("who stalls harms nobody else", () => {
  test("a client in its headers, one in its body, a server before and in its answer", async () => {
    const { url } = await proxyInFrontOf((request, response) => {
      if (request.url === "/half") response.write("data: 1\n\n");
      else if (request.url === "/ok") response.end("ok");
    });
    const stalled = [
      "GET / HTTP/1.1\r\n",
      `${POST}Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{`,
      `${POST}Content-Type: a/b\r\nContent-Length: 9\r\n\r\na`,
      `GET /never HTTP/1.1\r\n${HOST}\r\n`,
      `GET /half HTTP/1.1\r\n${HOST}\r\n`,
    ].map((request) => {
      const socket = connectTo(url);
      socket.write(request);
      return socket;
    });
    await Promise.race(stalled.map((socket) => once(socket, "data")));
    expect((await ask(`${url}/ok`)).body).toBe("ok");
    for (const socket of stalled) socket.destroy();
  });
});

describe("requests that do not wait for answers", () => {
  test("get them in order, and no warning is written", async () => {
    const warnings: Error[] = [];
    const onWarning = (warning: Error): void => void warnings.push(warning);
    process.on("warning", onWarning);
    const { url } = await proxyInFrontOf((request, response) => {
      // The later, the sooner.
      const ordinal = Number(request.url?.slice(1));
      setTimeout(() => response.end(`<${request.url}>`), 30 - ordinal);
    });
    const count = 30;
    const requests = Array.from({ length: count }, (_, ordinal) => {
      const close = ordinal === count - 1 ? "Connection: close\r\n" : "";
      return `GET /${ordinal} HTTP/1.1\r\n${HOST}${close}\r\n`;
    });
    const answers = await exchangeRaw(url, requests.join(""));
    process.off("warning", onWarning);
    expect(answers.match(/<\/\d+>/g)).toEqual(requests.map((_, ordinal) => `</${ordinal}>`));
    expect(warnings).toEqual([]);
  });
});

describe("a WebSocket", () => {
  const UPGRADE = "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n";

  test.each(["websocket", "WebSocket", "h2c, websocket"])(
    "is answered 426 at once: %s",
    async (protocol) => {
      const { url, heard } = await proxyOverWire();
      const request = `GET /v1/responses HTTP/1.1\r\n${HOST}${UPGRADE}Upgrade: ${protocol}\r\n\r\n`;
      const socket = connectTo(url);
      socket.write(request);
      const [answer] = await once(socket, "data");
      socket.destroy();
      expect(`${answer}`).toMatch(/^HTTP\/1.1 426 Upgrade Required\r\nupgrade: HTTP\/1.1\r\n/);
      expect(heard).toEqual([]);
    },
  );

  test("is none where HTTP/2 is offered", async () => {
    const { url, heard } = await proxyOverWire();
    const offer =
      "Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: a\r\n";
    expect(await exchangeRaw(url, `GET / HTTP/1.1\r\n${HOST}${offer}\r\n`)).toMatch(/ok$/);
    expect(heard.join("")).not.toMatch(/upgrade|http2/i);
  });
});

function requestTo(target: string, host: string): string {
  return `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`;
}

describe("a foreign Host", () => {
  test.each(["evil.example", "evil.example:8787", "192.168.0.1", "localhost.evil.example"])(
    "is refused where only this machine is served: %s",
    async (host) => {
      const { url, heard } = await proxyOverWire();
      const answer = await exchangeRaw(url, requestTo("/", host));
      expect(answer).toMatch(/^HTTP\/1.1 421 Misdirected Request\r\n[^]*"foreign_host"/);
      expect(heard).toEqual([]);
    },
  );

  test.each(["localhost", "LOCALHOST:1", "127.0.0.1:8787", "[::1]:8787", "agent.localhost"])(
    "is none of this machine's: %s",
    async (host) => {
      const { url } = await proxyOverWire();
      expect(await exchangeRaw(url, requestTo("/", host))).toMatch(/ok$/);
    },
  );

  test("is none in a whole URL, with which no web page can ask", async () => {
    const { url } = await proxyOverWire();
    expect(await exchangeRaw(url, requestTo("http://api.example/v1", "api.example"))).toMatch(
      /ok$/,
    );
  });

  test("is none where other machines are served", async () => {
    const target = await serve((_request, response) => response.end("ok"));
    const { url, isOpen } = await proxyTo(target, { host: "0.0.0.0" });
    expect(isOpen).toBe(true);
    const here = url.replace("0.0.0.0", "127.0.0.1");
    expect(await exchangeRaw(here, requestTo("/", "gateway.example"))).toMatch(/ok$/);
  });

  test("is none where it is the --host", () => {
    const headers = { host: "box:8787" };
    const incoming = { rawHeaders: [], headers, url: "/" } as unknown as IncomingMessage;
    expect(refusalOf(incoming, { host: "box", isOpen: false })).toBeUndefined();
    expect(refusalOf(incoming, { host: "127.0.0.1", isOpen: false })?.status).toBe(421);
  });
});

test("a path that leaves that of the target is refused", async () => {
  const target = await serve((_request, response) => response.end("ok"));
  const { url, logged } = await proxyTo(`${target}/v1`);
  const answer = await exchangeRaw(
    url,
    `GET /a/../../x HTTP/1.1\r\n${HOST}Connection: close\r\n\r\n`,
  );
  expect(answer).toMatch(/^HTTP\/1.1 400 [^]*"path_outside_target"/);
  expect(await logged).toBe(
    "GET /a/../../x 400 by the proxy: a path outside the target, 0 calls renamed",
  );
});

test("a target that is the proxy itself is refused at the start", async () => {
  const free = createServer().listen(0, "127.0.0.1");
  await once(free, "listening");
  const { port } = free.address() as AddressInfo;
  await new Promise((resolve) => free.close(resolve));
  for (const host of ["127.0.0.1", "0.0.0.0"]) {
    await expect(proxyTo(`http://localhost:${port}/v1`, { host, port })).rejects.toThrow(
      `Cannot forward to http://localhost:${port}: that is this proxy itself`,
    );
  }
});

describe("a request that is longer than what is held", () => {
  const MAX = 1000;
  const answer = '{"choices":[{"message":{"tool_calls":[{"id":"f:0","type":"function"}]}}]}';

  test.each([
    ["of a known length", 1, `Content-Length: ${2 * MAX}\r\n\r\n`, ""],
    ["in chunks", MAX + 1, `${CHUNKED}\r\n${(2 * MAX).toString(16)}\r\n`, "\r\n0\r\n\r\n"],
  ])("passes unread, and as it comes: %s", async (_what, first, framing, end) => {
    const heard = deferred();
    let length = 0;
    const target = await serve((request, response) => {
      request.on("data", (chunk: Buffer) => {
        length += chunk.length;
        if (length >= first) heard.resolve();
      });
      request.on("end", () => {
        response.writeHead(200, { "content-type": "application/json" }).end(answer);
      });
    });
    const { url } = await proxyTo(target, { maxBody: MAX });
    const socket = connectTo(url);
    const body = '{"messages":[]}'.padEnd(2 * MAX);
    socket.write(`${POST}Connection: close\r\nContent-Type: application/json\r\n${framing}`);
    socket.write(body.slice(0, first));
    await heard.promise;
    socket.write(body.slice(first) + end);
    // It has not been read: nothing says that the JSON is an answer to a history.
    expect(await text(socket)).toContain(answer);
    expect(length).toBe(2 * MAX);
  });

  test("is read, where it is as long", async () => {
    const { url } = await proxyInFrontOf((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" }).end(answer);
    });
    const headers = { "content-type": "application/json" };
    const body = '{"messages":[]}'.padEnd(2 ** 20);
    expect((await ask(url, { method: "POST", headers, body })).body).not.toContain('"f:0"');
  });
});
