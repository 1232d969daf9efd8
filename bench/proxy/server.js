// @ts-check
// Sends `?count=` events, each with the time at which it was sent; every tenth opens a call.

import { createServer } from "node:http";

/** @import { AddressInfo } from "node:net" */

const GAP_MS = 2;
const EVENTS_OF_CALL = 10;

/** @param {number} position */
function eventOf(position) {
  const index = Math.floor(position / EVENTS_OF_CALL);
  const isStart = position % EVENTS_OF_CALL === 0;
  const start = { id: `get_sun:${index}`, type: "function" };
  const call = { index, ...(isStart && start), function: { arguments: "fragment" } };
  const choices = [{ index: 0, delta: { tool_calls: [call] }, finish_reason: null }];
  const stamp = `${process.hrtime.bigint()}`;
  return `data: ${JSON.stringify({ id: "chatcmpl-1", model: "kimi-k3", choices, stamp })}\n\n`;
}

const server = createServer((request, response) => {
  const { searchParams } = new URL(request.url ?? "/", "http://localhost");
  const count = Number(searchParams.get("count"));
  response.writeHead(200, { "content-type": "text/event-stream" });
  let position = 0;
  const timer = setInterval(() => {
    response.write(eventOf(position));
    position += 1;
    if (position < count) return;
    clearInterval(timer);
    response.end("data: [DONE]\n\n");
  }, GAP_MS);
  response.on("close", () => clearInterval(timer));
});
server.listen(0, "127.0.0.1", () => {
  const { port } = /** @type {AddressInfo} */ (server.address());
  process.send?.(`http://127.0.0.1:${port}`);
});
