import { once } from "node:events";
import { createServer, type IncomingMessage, type Server } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { proxyEnvironmentFor } from "../../src/cli/proxy-environment.ts";
import { Upstream } from "../../src/cli/upstream.ts";
import { proxyTo, serve } from "./proxied.ts";

/** Hands out the connections that come to it, each once. */
async function serveCounted(): Promise<{ url: string; sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const server: Server = createServer((_request, response) => response.end("ok"));
  server.on("connection", (socket) => sockets.push(socket));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sockets };
}

async function post(upstream: Upstream): Promise<string> {
  const request = upstream.request("POST", "/", ["Content-Length", "1"]).end("a");
  const [response] = (await once(request, "response")) as [IncomingMessage];
  const body = await text(response);
  // It goes back to those that are kept behind the end of the answer.
  await new Promise((resolve) => setImmediate(resolve));
  return body;
}

describe("a connection to the server", () => {
  const LONG_MS = 60_000;

  test("is used again while it is fresh", async () => {
    const { url, sockets } = await serveCounted();
    const upstream = new Upstream(new URL(url), {}, LONG_MS);
    for (let count = 0; count < 3; count += 1) expect(await post(upstream)).toBe("ok");
    expect(sockets).toHaveLength(1);
    upstream.close();
  });

  test("is used again behind the proxy, too", async () => {
    const { url: target, sockets } = await serveCounted();
    const { url } = await proxyTo(target);
    const COUNT = 6;
    for (let count = 0; count < COUNT; count += 1) {
      const response = await fetch(url, { method: "POST", body: "a" });
      expect(await response.text()).toBe("ok");
    }
    // A busy machine may let one of them rest for too long, not all.
    expect(sockets.length).toBeLessThan(COUNT);
  });

  test("is closed when it has rested", async () => {
    const { url, sockets } = await serveCounted();
    const upstream = new Upstream(new URL(url), {}, 1);
    await post(upstream);
    const [first] = sockets;
    if (first?.closed === false) await once(first, "close");
    await post(upstream);
    expect(sockets).toHaveLength(2);
    upstream.close();
  });

  test("is not closed by its rest while it is in use again", async () => {
    const asked: (() => void)[] = [];
    const target = await serve((_request, response) => void asked.push(() => response.end("ok")));
    const REST_MS = 20;
    const upstream = new Upstream(new URL(target), {}, REST_MS);
    const first = upstream.request("GET", "/", []).end();
    while (asked.length < 1) await new Promise((resolve) => setImmediate(resolve));
    asked[0]?.();
    const [answer] = (await once(first, "response")) as [IncomingMessage];
    await text(answer);
    await new Promise((resolve) => setImmediate(resolve));
    const second = upstream.request("GET", "/", []).end();
    while (asked.length < 2) await new Promise((resolve) => setImmediate(resolve));
    await new Promise((resolve) => setTimeout(resolve, 2 * REST_MS));
    asked[1]?.();
    const [late] = (await once(second, "response")) as [IncomingMessage];
    expect(await text(late)).toBe("ok");
    upstream.close();
  });

  test("is closed when the server speaks on it unasked", async () => {
    const { url, sockets } = await serveCounted();
    const upstream = new Upstream(new URL(url), {}, LONG_MS);
    await post(upstream);
    const [first] = sockets;
    first?.write("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nother");
    if (first?.closed === false) await once(first, "close");
    expect(await post(upstream)).toBe("ok");
    expect(sockets).toHaveLength(2);
    upstream.close();
  });

  test("that breaks under a request is an error, and nothing is sent again", async () => {
    const heard: string[] = [];
    const target = await serve((request, response) => {
      heard.push(`${request.method}`);
      if (heard.length === 1) response.end("ok");
      else request.socket.destroy();
    });
    const { url } = await proxyTo(target);
    const init = { method: "POST", body: "a" };
    expect((await fetch(url, init)).status).toBe(200);
    expect((await fetch(url, init)).status).toBe(502);
    expect(heard).toEqual(["POST", "POST"]);
  });
});

describe("the environment names a proxy", () => {
  const remote = new URL("https://api.example/v1");

  test.each([
    [remote, { HTTPS_PROXY: "http://p" }, true],
    [remote, { https_proxy: "http://p" }, true],
    [remote, { HTTP_PROXY: "http://p" }, false],
    [remote, { HTTPS_PROXY: "" }, false],
    [remote, {}, false],
    [new URL("http://api.example"), { HTTP_PROXY: "http://p" }, true],
    // No proxy elsewhere finds what only this machine reaches.
    [new URL("http://localhost:8000"), { HTTP_PROXY: "http://p" }, false],
    [new URL("http://[::1]:8000"), { http_proxy: "http://p" }, false],
  ])("for %s in %j: %s", (target, environment, is) => {
    expect(proxyEnvironmentFor(target, environment, true)).toEqual(is ? { environment } : {});
    expect(proxyEnvironmentFor(target, environment, false)).toEqual(
      is ? { warning: expect.stringMatching(/^Cannot use HTTPS?_PROXY: Node 24\.5 /) } : {},
    );
  });

  test.runIf(process.allowedNodeEnvironmentFlags.has("--use-env-proxy"))(
    "where Node can read it: requests go to it",
    async () => {
      const asked: unknown[] = [];
      const forward = await serve((request, response) => {
        asked.push([request.url, request.headers.host]);
        response.end("by the proxy");
      });
      const { url } = await proxyTo("http://model.example", {
        environment: { HTTP_PROXY: forward },
      });
      expect(await fetch(`${url}/v1`).then((response) => response.text())).toBe("by the proxy");
      expect(asked).toEqual([["http://model.example/v1", "model.example"]]);
    },
  );
});
