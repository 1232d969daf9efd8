import { buffer, text } from "node:stream/consumers";
import { gunzipSync, gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { fixtureBytes, fixtureNames } from "../fixtures.ts";
import { HELD_HISTORIES, HELD_IDS, type Send } from "../held-histories.ts";
import { HoldingServer } from "../holding-server.ts";
import { proxyTo, serve } from "./proxied.ts";

/** Such a server behind the proxy, and what sends to it. */
async function holdingServer(encode: (body: string) => RequestInit): Promise<Send> {
  const server = new HoldingServer(HELD_IDS);
  const target = await serve(async (request, response) => {
    const { method = "", url = "", headers } = request;
    const bytes = await buffer(request);
    // A request in which no id changes passes as it is compressed.
    const body = headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes;
    const answer = server.answer(method, url.split("?")[0] ?? "", body.toString());
    response.writeHead(answer.status, { "content-type": answer.contentType }).end(answer.body);
  });
  const { url } = await proxyTo(target);
  return (method, path, body) =>
    fetch(`${url}${path}`, { method, ...(body && encode(JSON.stringify(body))) });
}

const jsonType = { "content-type": "application/json" };

test.each(Object.entries(HELD_HISTORIES))(
  "behind the proxy, a client continues what the server holds, by %s",
  async (_name, converse) => {
    await converse(await holdingServer((body) => ({ headers: jsonType, body })));
  },
);

test.each(Object.entries(HELD_HISTORIES))(
  "behind the proxy, so does one that compresses its requests: %s",
  async (_name, converse) => {
    const send = await holdingServer((body) => ({
      headers: { ...jsonType, "content-encoding": "gzip" },
      body: gzipSync(body),
    }));
    await converse(send);
  },
);

const captures = fixtureNames("captures", ".sse").map((file) => file.replace(/\.sse$/, ""));

test.each(captures)("what %s itself sends passes the proxy byte for byte", async (name) => {
  const request = fixtureBytes(`captures/${name}.request.json`);
  const answer = fixtureBytes(`captures/${name}.sse`);
  const bodies: string[] = [];
  const target = await serve(async (incoming, response) => {
    bodies.push(await text(incoming));
    response.writeHead(200, { "content-type": "text/event-stream" });
    for (let start = 0; start < answer.length; start += 701) {
      response.write(answer.subarray(start, start + 701));
    }
    response.end();
  });
  const { url, logged } = await proxyTo(target);
  const init = { method: "POST", headers: jsonType, body: request as Uint8Array<ArrayBuffer> };
  const response = await fetch(`${url}/v1`, init);
  expect(new Uint8Array(await response.arrayBuffer())).toEqual(answer);
  expect(bodies).toEqual([new TextDecoder().decode(request)]);
  expect(await logged).toContain("0 calls renamed");
});
