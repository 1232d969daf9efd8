import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import { ask, deferred, exchangeRaw, proxyInFrontOf, proxyTo, serve } from "./proxied.ts";

/** Answers with what it was asked. */
async function serveEcho(): Promise<string> {
  return serve(async (request, response) => {
    const { method, url, headers } = request;
    response.end(JSON.stringify({ method, url, headers, body: await text(request) }));
  });
}

describe("a request is passed on", () => {
  test.each(["GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "PROPFIND"])(
    "with its method: %s",
    async (method) => {
      const { url } = await proxyTo(await serveEcho());
      const { body } = await ask(url, { method });
      expect(JSON.parse(body)).toMatchObject({ method, url: "/", body: "" });
    },
  );

  test.each([
    { base: "", path: "/v1/chat/completions?key=1", url: "/v1/chat/completions?key=1" },
    { base: "/", path: "/v1", url: "/v1" },
    { base: "/v1", path: "/models", url: "/v1/models" },
    { base: "/v1/", path: "/a/../%7e//[b]{c}?d[]=1", url: "/v1/a/../%7e//[b]{c}?d[]=1" },
    { base: "/v1", path: "/v1/models?a", url: "/v1/models?a" },
    { base: "/v1", path: "/v1?a", url: "/v1?a" },
    { base: "/api/v1beta", path: "/v1beta", url: "/api/v1beta" },
    { base: "/v1", path: "/v11/models", url: "/v1/v11/models" },
    { base: "/api", path: "/api/models", url: "/api/api/models" },
    { base: "/v1", path: "http://elsewhere/models?a=/b", url: "/v1/models?a=/b" },
    { base: "/v1", path: "http://elsewhere?a", url: "/v1/?a" },
    { base: "", path: "*", url: "/" },
  ])("with its path $path behind the base path '$base'", async ({ base, path, url }) => {
    const proxy = await proxyTo(`${await serveEcho()}${base}`);
    const request = `OPTIONS ${path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n`;
    expect(await exchangeRaw(proxy.url, request)).toContain(`"url":"${url}"`);
  });

  test.each([
    { what: "JSON", type: "application/json", method: "POST" },
    { what: "a form", type: "multipart/form-data; boundary=x", method: "POST" },
    { what: "JSON of a DELETE", type: "application/json", method: "DELETE" },
    { what: "text of a GET", type: "text/plain", method: "GET" },
  ])("with its body: $what", async ({ type, method }) => {
    const { url } = await proxyTo(await serveEcho());
    const headers = { "content-type": type, "transfer-encoding": "chunked" };
    const { body } = await ask(url, { method, headers, body: '{"a": 1}' });
    expect(JSON.parse(body)).toMatchObject({ body: '{"a": 1}', headers: { "content-type": type } });
  });

  test("with the length of its body", async () => {
    const { url } = await proxyTo(await serveEcho());
    const { body } = await ask(url, {
      method: "PUT",
      headers: { "content-length": 3 },
      body: "abc",
    });
    const { headers } = JSON.parse(body);
    expect(headers).toMatchObject({ "content-length": "3" });
    expect(headers).not.toHaveProperty("transfer-encoding");
  });

  test("with its headers, less those of the connection, and the host of the server", async () => {
    const target = await serveEcho();
    const { url } = await proxyTo(target);
    const headers = {
      Authorization: "Bearer sk-1",
      "X-Twice": ["a", "b"],
      "Accept-Encoding": "gzip, br",
      Connection: "x-mine, (not a name)",
      "X-Mine": "a",
      "Keep-Alive": "timeout=5",
      "Proxy-Authorization": "Basic a",
      TE: "trailers",
      Upgrade: "h2c",
      Host: "localhost:1",
    };
    const { body } = await ask(url, { headers });
    expect(JSON.parse(body).headers).toEqual({
      authorization: "Bearer sk-1",
      "x-twice": "a, b",
      "accept-encoding": "identity",
      connection: "keep-alive",
      host: new URL(target).host,
    });
  });

  test("when its client waits to be told to go on", async () => {
    const { url } = await proxyTo(await serveEcho());
    const answer = await exchangeRaw(
      url,
      "POST / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nexpect: 100-continue\r\ncontent-length: 1\r\n\r\na",
    );
    expect(answer).toMatch(/^HTTP\/1.1 100 Continue\r\n\r\nHTTP\/1.1 200 OK\r\n/);
    expect(answer).not.toContain('"expect"');
  });

  test("as it comes, where it is no JSON", async () => {
    const heard = deferred<unknown>();
    const { url } = await proxyInFrontOf((request, response) => {
      request.once("data", heard.resolve);
      request.on("end", () => response.end());
    });
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    const headers = "connection: close\r\ncontent-type: audio/wav\r\ncontent-length: 2";
    socket.write(`POST / HTTP/1.1\r\nhost: localhost\r\n${headers}\r\n\r\na`);
    await heard.promise;
    socket.write("b");
    expect(await text(socket)).toMatch(/^HTTP\/1.1 200 OK/);
  });
});

describe("a response is passed on", () => {
  test("with its status and headers, less those of the connection", async () => {
    const { url } = await proxyInFrontOf((_request, response) => {
      response.sendDate = false;
      response.writeHead(429, "Slow Down", {
        "Set-Cookie": ["a=1", "b=2"],
        "Retry-After": "7",
        Connection: "close, x-theirs",
        "X-Theirs": "a",
        "Proxy-Authenticate": "Basic",
      });
      response.end('{"error": "too many"}');
    });
    const { response, body } = await ask(url, { headers: { connection: "keep-alive" } });
    expect([response.statusCode, response.statusMessage]).toEqual([429, "Slow Down"]);
    expect(body).toBe('{"error": "too many"}');
    expect(response.headers).toEqual({
      "set-cookie": ["a=1", "b=2"],
      "retry-after": "7",
      connection: "keep-alive",
      "keep-alive": "timeout=75",
      "transfer-encoding": "chunked",
    });
  });

  test("when it is a redirect, which is the client's to follow", async () => {
    const { url } = await proxyInFrontOf((_request, response) => {
      response.writeHead(307, { location: "https://elsewhere/" }).end();
    });
    const { response } = await ask(url);
    expect(response.statusCode).toBe(307);
    expect(response.headers.location).toBe("https://elsewhere/");
  });

  test.each([
    { method: "HEAD", status: 200, length: "5" },
    { method: "GET", status: 304, length: "5" },
    { method: "GET", status: 204, length: undefined },
  ])("when it has no body: $method, $status", async ({ method, status, length }) => {
    const { url } = await proxyInFrontOf((_request, response) => {
      response.writeHead(status, length === undefined ? {} : { "content-length": length }).end();
    });
    const { response, body } = await ask(url, { method });
    expect([response.statusCode, response.headers["content-length"], body]).toEqual([
      status,
      length,
      "",
    ]);
  });

  test("byte for byte, with its length", async () => {
    const bytes = Buffer.from(Array.from({ length: 70_000 }, (_, index) => index % 251));
    const { url } = await proxyInFrontOf((_request, response) => {
      response.writeHead(200, { "content-length": bytes.length }).end(bytes);
    });
    const response = await fetch(url);
    expect(response.headers.get("content-length")).toBe("70000");
    expect(Buffer.from(await response.arrayBuffer()).equals(bytes)).toBe(true);
  });

  test("headers first, then each event when it comes", async () => {
    const server: { next: () => void } = { next: () => {} };
    const { url } = await proxyInFrontOf((_request, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" }).flushHeaders();
      let count = 0;
      server.next = () => {
        count += 1;
        response.write(`data: ${count}\n\n`);
        if (count === 3) response.end();
      };
    });
    // Each step waits for the one before to have arrived.
    const events: string[] = [];
    const response = await fetch(url);
    server.next();
    for await (const chunk of response.body ?? []) {
      events.push(new TextDecoder().decode(chunk));
      server.next();
    }
    expect(events).toEqual(["data: 1\n\n", "data: 2\n\n", "data: 3\n\n"]);
  });
});
