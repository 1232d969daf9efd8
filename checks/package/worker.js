// @ts-check
// The Worker of the examples in workerd, over sockets, in front of a server whose ids repeat.

import { once } from "node:events";
import { createServer } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { run } from "./shell.js";

/** @import { AddressInfo } from "node:net" */

const ID = "get_sun:0";
/** With what a rewriter may disturb: comments, spaces, escapes, a field twice, the id in a text. */
const BODY = [
  ": keep-alive\r\n\r\n",
  'data:  {"choices": [ {"index":0,"delta":{"content":"gr\\u00fc\u00dfe get_sun:0","n":1.0e1,"n":2}} ] }\n\n',
  `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"${ID}","type":"function","function":{"name":"get_sun","arguments":""}}]}}]}\n\n`,
  'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"{}"}}]}}]}\n\n',
  'data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\n',
  "data: [DONE]\n\n",
].join("");

/**
 * @param {any} wrangler the package
 * @param {[string, string]} program its command line, behind the Node that runs it
 * @param {string} folder of the example
 * @returns {Promise<string>} the event of the call, in each of two responses
 */
export async function askWorker(wrangler, [node, program], folder) {
  const config = join(folder, "wrangler.jsonc");
  await run(node, [program, "deploy", "--dry-run", "--config", config]);

  const upstream = await startUpstream();
  const worker = await wrangler.unstable_startWorker({
    config,
    envFiles: [],
    bindings: { UPSTREAM_URL: { type: "plain_text", value: upstream.url } },
    dev: { server: { port: 0 }, watch: false, inspector: false, logLevel: "none" },
  });
  try {
    const url = new URL("v1/chat/completions?a=b", await worker.url);
    const request = { model: "kimi-k3", stream: true, messages: [] };
    const responses = [await post(url, request), await post(url, request)];
    const ids = responses.map((response) => /"id":"([^"]*)"/.exec(response)?.[1] ?? "");
    const others = responses.map((response, index) => response.replace(`${ids[index]}`, ID));
    expect(new Set([ID, ...ids]).size === 3, `the ids are ${ids.join(", ")}`);
    for (const other of others) expect(other === BODY, `all else is not as it was: ${other}`);
    const ofThread = await post(url, { ...request, thread: { id: "thread_1" } });
    expect(ofThread === BODY, `a thread is not as it was: ${ofThread}`);
    const headers = { "content-type": "application/json" };
    const { status } = await fetch(new URL("v1/models", url), { headers });
    expect(status === 404, `a GET is answered by ${status}`);
    return responses.flatMap((response) => response.match(/^data:.*"id".*$/gm) ?? []).join("\n");
  } finally {
    await worker.dispose();
    await upstream.close();
  }
}

/** A server that answers every chat request with the same bytes. */
async function startUpstream() {
  const server = createServer(async (request, response) => {
    const { method, url, headers } = request;
    await text(request);
    const isRight =
      method === "POST" &&
      url === "/v1/chat/completions?a=b" &&
      headers.authorization === "Bearer none";
    response.writeHead(isRight ? 200 : 404, { "content-type": "text/event-stream" });
    response.end(isRight ? BODY : `data: ${method} ${url}\n\n`);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/**
 * @param {URL} url
 * @param {object} body
 */
async function post(url, body) {
  const headers = { "content-type": "application/json", authorization: "Bearer none" };
  const response = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
  return response.text();
}

/**
 * @param {boolean} isTrue
 * @param {string} otherwise
 */
function expect(isTrue, otherwise) {
  if (!isTrue) throw new Error(`Of the Worker, ${otherwise}`);
}
