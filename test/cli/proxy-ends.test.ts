import { once } from "node:events";
import { request as httpRequest, type ServerResponse } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { text } from "node:stream/consumers";
import { promisify } from "node:util";
import { gunzip, gzipSync } from "node:zlib";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { IdRewriter } from "../../src/wire/id-rewriter.ts";
import { ask, connectTo, deferred, proxyInFrontOf, proxyTo, serve } from "./proxied.ts";

const GET = "GET /v1?key=sk-1 HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer sk-2\r\n\r\n";
const STREAM_TYPE = { "content-type": "text/event-stream" };

test("a server that is down: 502, which says so and holds no key", async () => {
  const target = await proxyTo("http://127.0.0.1:1");
  const headers = { authorization: "Bearer sk-2" };
  const { response, body } = await ask(`${target.url}/v1?key=sk-1`, { headers });
  expect(response.statusCode).toBe(502);
  expect(response.headers["content-type"]).toBe("application/json");
  expect(JSON.parse(body)).toEqual({
    error: {
      type: "upstream_unreachable",
      message: "Cannot get a response from http://127.0.0.1:1: ECONNREFUSED",
    },
  });
  expect(await target.logged).toBe("GET /v1 502 by the proxy: ECONNREFUSED, 0 calls renamed");
});

/** A body that is more than any buffer holds, and has not come whole when it is answered. */
function sendUpload(url: string): Promise<{ status: number | undefined; body: string }> {
  const { hostname, port } = new URL(url);
  const headers = { "content-type": "audio/wav", "content-length": 2 * UPLOAD_LENGTH };
  return new Promise((resolve, reject) => {
    const upload = httpRequest({ hostname, port, method: "POST", path: "/v1/audio", headers });
    upload.on("error", reject);
    upload.on("response", async (response) => {
      upload.end(new Uint8Array(UPLOAD_LENGTH));
      resolve({ status: response.statusCode, body: await text(response) });
    });
    upload.write(new Uint8Array(UPLOAD_LENGTH));
  });
}

const UPLOAD_LENGTH = 300_000;

test("an upload to a server that is down: 502", async () => {
  const { url } = await proxyTo("http://127.0.0.1:1");
  const { status, body } = await sendUpload(url);
  expect(status).toBe(502);
  expect(JSON.parse(body)).toMatchObject({ error: { type: "upstream_unreachable" } });
});

test("a client that goes before its upload is over harms nobody", async () => {
  const { url, lines } = await proxyTo("http://127.0.0.1:1");
  const socket = connectTo(url);
  socket.write(
    "POST /a HTTP/1.1\r\nhost: localhost\r\ncontent-type: audio/wav\r\ncontent-length: 9\r\n\r\nab",
  );
  await once(socket, "data");
  socket.destroy();
  await once(socket, "close");
  expect((await fetch(`${url}/b`)).status).toBe(502);
  expect(lines).toContain("POST /a 502 by the proxy: ECONNREFUSED, 0 calls renamed");
});

test("an upload of a client that reads when it has sent everything, to a server that is down", async () => {
  const { url } = await proxyTo("http://127.0.0.1:1");
  const LENGTH = 2 ** 24;
  const socket = connectTo(url).pause();
  const headers = `host: localhost\r\ncontent-type: a/b\r\ncontent-length: ${LENGTH}`;
  socket.write(`POST / HTTP/1.1\r\n${headers}\r\n\r\n`);
  await new Promise((resolve) => socket.write(Buffer.alloc(LENGTH), resolve));
  socket.resume();
  const [answer] = await once(socket, "data");
  socket.destroy();
  expect(`${answer}`).toMatch(/^HTTP\/1.1 502 /);
});

test("an upload that the server refuses before it has read it: what the server says", async () => {
  const { url } = await proxyInFrontOf((_request, response) => {
    response.writeHead(401, { "content-type": "application/json" });
    response.end('{"error":"who are you"}');
  });
  expect(await sendUpload(url)).toEqual({ status: 401, body: '{"error":"who are you"}' });
});

test("a server that switches protocols without being asked to: 502", async () => {
  const server = createServer((socket) => {
    socket.once("data", () =>
      socket.end("HTTP/1.1 101 S\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n"),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const { url } = await proxyTo(`http://127.0.0.1:${port}`);
  expect((await fetch(url)).status).toBe(502);
});

test("requests behind one that is not answered: all are aborted and logged when the client goes", async () => {
  const asked = deferred();
  let count = 0;
  const target = await serve(() => {
    count += 1;
    if (count === 2) asked.resolve();
  });
  const { url, lines } = await proxyTo(target);
  const socket = connectTo(url);
  socket.write(
    "GET /a HTTP/1.1\r\nhost: localhost\r\n\r\nGET /b HTTP/1.1\r\nhost: localhost\r\n\r\n",
  );
  await asked.promise;
  socket.destroy();
  while (lines.length < 2) await new Promise((resolve) => setImmediate(resolve));
  expect([...lines].sort()).toEqual([
    "GET /a -, 0 calls renamed, closed by the client",
    "GET /b -, 0 calls renamed, closed by the client",
  ]);
});

test("a server that speaks no TLS: 502", async () => {
  const target = await serve((_request, response) => response.end());
  const { url } = await proxyTo(target.replace("http:", "https:"));
  const { response, body } = await ask(url);
  expect(response.statusCode).toBe(502);
  expect(body).toContain("upstream_unreachable");
});

describe("a server that breaks off", () => {
  const cuts: Record<string, (response: ServerResponse) => void> = {
    "in chunks": (response) => response.write("data: 1\n\n"),
    "of a known length": (response) => {
      response.writeHead(200, { "content-length": 100 }).write("data: 1\n\n");
    },
    compressed: (response) => {
      response.writeHead(200, { ...STREAM_TYPE, "content-encoding": "gzip" });
      response.write(gzipSync("data: 1\n\n".repeat(9)).subarray(0, -9));
    },
  };
  test.each(Object.keys(cuts))("cuts the client: a response %s", async (name) => {
    const arrived = deferred();
    const { url, logged } = await proxyInFrontOf((_request, response) => {
      cuts[name]?.(response);
      arrived.promise.then(() => response.destroy());
    });
    const { body } = await fetch(url);
    const reader = body?.getReader();
    await reader?.read();
    arrived.resolve();
    await expect(reader?.read()).rejects.toThrow("terminated");
    expect(await logged).toEqual(
      expect.stringMatching(/^GET \/ 200 by the server, 0 calls renamed, cut by the server: \w+$/),
    );
  });

  test("cuts the client where a compressed response ends before its end", async () => {
    const { url } = await proxyInFrontOf((_request, response) => {
      response.writeHead(200, { ...STREAM_TYPE, "content-encoding": "gzip" });
      response.end(gzipSync("data: 1\n\n".repeat(9)).subarray(0, -9));
    });
    await expect(fetch(url).then((response) => response.text())).rejects.toThrow("terminated");
  });

  test("before it answers: 502", async () => {
    const { url } = await proxyInFrontOf((request) => request.socket.destroy());
    const { body } = await ask(url);
    expect(JSON.parse(body).error.message).toMatch(/: ECONNRESET$/);
  });
});

describe("a client that goes", () => {
  test("while it is answered: the server's connection is closed", async () => {
    const closed = deferred();
    const { url, logged } = await proxyInFrontOf((_request, response) => {
      response.on("close", closed.resolve);
      response.write("data: 1\n\n");
    });
    const socket = connectTo(url);
    socket.write(GET);
    await once(socket, "data");
    socket.destroy();
    await closed.promise;
    expect(await logged).toBe("GET /v1 200 by the server, 0 calls renamed, closed by the client");
  });

  test("before it is answered: the same", async () => {
    const asked = deferred();
    const closed = deferred();
    const { url, logged } = await proxyInFrontOf((_request, response) => {
      response.on("close", closed.resolve);
      asked.resolve();
    });
    const socket = connectTo(url);
    socket.write(GET);
    await asked.promise;
    socket.destroy();
    await closed.promise;
    expect(await logged).toBe("GET /v1 -, 0 calls renamed, closed by the client");
  });

  test("before it has asked: nothing is sent", async () => {
    let asked = 0;
    const { url, logged } = await proxyInFrontOf((_request, response) => {
      asked += 1;
      response.end();
    });
    const socket = connectTo(url);
    const json = "content-type: application/json\r\ncontent-length: 9\r\n\r\n{";
    socket.write(GET.replace("\r\n\r\n", `\r\n${json}`).replace("GET", "POST"), () => {
      socket.destroy();
    });
    expect(await logged).toBe("POST /v1 -, 0 calls renamed, closed by the client");
    expect(asked).toBe(0);
  });
});

test("a client that does not read slows the server", async () => {
  const chunk = Buffer.alloc(64 * 1024);
  const COUNT = 1024;
  const written: Record<string, number> = {};
  const started = deferred();
  const { url } = await proxyInFrontOf(async (request, response) => {
    const name = request.url ?? "";
    for (let count = 1; count <= COUNT && !response.destroyed; count += 1) {
      written[name] = count;
      if (!response.write(chunk)) await once(response, "drain").catch(() => {});
      if (name === "/slow") started.resolve();
    }
    response.end();
  });
  const slow = connectTo(url).pause();
  slow.write(GET.replace("/v1?key=sk-1", "/slow"));
  await started.promise;
  // Meanwhile another one reads as much as there is.
  const body = await fetch(`${url}/fast`).then((response) => response.arrayBuffer());
  expect(body.byteLength).toBe(COUNT * chunk.length);
  expect(written["/slow"]).toBeLessThan(COUNT / 2);
  slow.destroy();
});

describe("drain", () => {
  test("lets what is open end, and takes no new connections", async () => {
    const ending = deferred();
    const { url, drain, logged } = await proxyInFrontOf(async (_request, response) => {
      response.writeHead(200, STREAM_TYPE).write("data: 1\n\n");
      await ending.promise;
      response.end("data: 2\n\n");
    });
    const { body } = await fetch(url);
    const reader = body?.getReader();
    await reader?.read();
    const drained = drain();
    await expect(fetch(url)).rejects.toThrow("fetch failed");
    ending.resolve();
    const rest = await reader?.read();
    expect(new TextDecoder().decode(rest?.value)).toBe("data: 2\n\n");
    expect((await reader?.read())?.done).toBe(true);
    await drained;
    expect(await logged).toBe("GET / 200 by the server, 0 calls renamed");
  });

  test("closes the connections that clients would use again", async () => {
    const ending = deferred();
    const asked = deferred();
    const { url, drain } = await proxyInFrontOf(async (_request, response) => {
      asked.resolve();
      await ending.promise;
      response.end("ok");
    });
    const socket = connectTo(url);
    socket.write(GET);
    await asked.promise;
    const drained = drain();
    ending.resolve();
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 OK/);
    await drained;
  });
});

describe("stop", () => {
  test("cuts open streams, and does not end them as if they were whole", async () => {
    const closed = deferred();
    const { url, stop } = await proxyInFrontOf((_request, response) => {
      response.on("close", closed.resolve);
      response.write("data: 1\n\n");
    });
    const { body } = await fetch(url);
    const reader = body?.getReader();
    await reader?.read();
    await stop();
    await closed.promise;
    await expect(reader?.read()).rejects.toThrow("terminated");
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });

  test("says of each stream that it was cut before it settles", async () => {
    const asked = deferred();
    const target = await serve(() => asked.resolve());
    const { url, stop, lines } = await proxyTo(target);
    fetch(url).catch(() => {});
    await asked.promise;
    await stop();
    expect(lines).toEqual(["GET / -, 0 calls renamed, cut by the proxy: it stops"]);
  });
});

test("ids that cannot be changed: cut by the proxy, which serves on", async () => {
  const push = vi.spyOn(IdRewriter.prototype, "push").mockImplementation(() => {
    throw new RangeError("Too deep");
  });
  const { url, logged } = await proxyInFrontOf((_request, response) => {
    response.writeHead(200, STREAM_TYPE).write("data: 1\n\n");
  });
  await expect(ask(url)).rejects.toThrow("aborted");
  push.mockRestore();
  expect(await logged).toBe(
    "GET / 200 by the server, 0 calls renamed, cut by the proxy: RangeError",
  );
});

test("a client that goes while its request is decoded: nothing is sent", async () => {
  let asked = 0;
  const target = await serve((_request, response) => {
    asked += 1;
    response.end();
  });
  // Decoding takes far longer than the end of a connection to arrive.
  const LENGTH = 2 ** 25;
  const { url, logged } = await proxyTo(target, { maxBody: LENGTH });
  const body = gzipSync(Buffer.alloc(LENGTH));
  const type = "content-type: application/json\r\ncontent-encoding: gzip\r\n";
  const socket = connectTo(url);
  socket.write(
    `POST / HTTP/1.1\r\nhost: localhost\r\n${type}content-length: ${body.length}\r\n\r\n`,
  );
  socket.write(body, () => socket.destroy());
  expect(await logged).toBe("POST / -, 0 calls renamed, closed by the client");
  // As long as that takes.
  await promisify(gunzip)(body);
  await promisify(gunzip)(body);
  expect(asked).toBe(0);
});

test("a port that is taken", async () => {
  const { url } = await proxyTo("http://127.0.0.1:1");
  const port = Number(new URL(url).port);
  await expect(proxyTo("http://127.0.0.1:1", { port })).rejects.toThrow(
    `Cannot listen on 127.0.0.1:${port}: the port is taken`,
  );
});

test("an address that this machine has not", async () => {
  await expect(proxyTo("http://127.0.0.1:1", { host: "192.0.2.1" })).rejects.toThrow(
    /^Cannot listen on 192.0.2.1:0: listen EADDRNOTAVAIL/,
  );
});

test("the URL of an address of IPv6", async () => {
  const { url } = await proxyTo("http://127.0.0.1:1", { host: "::1" });
  expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
});
