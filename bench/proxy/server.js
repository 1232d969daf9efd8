// @ts-check
// Answers `?count=&gap=` with that many events, so many milliseconds apart, each with the time at which it
// was sent; every tenth opens a call. Without a count it answers a body at its end.

import { createServer } from "node:http";

/** @import { AddressInfo } from "node:net" */

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
  if (count === 0) {
    request.resume().on("end", () => response.end("{}"));
    return;
  }
  response.writeHead(200, { "content-type": "text/event-stream" });
  let position = 0;
  const gap = Number(searchParams.get("gap"));
  /** @type {NodeJS.Timeout} */
  let timer;
  const send = () => {
    response.write(eventOf(position));
    position += 1;
    if (position < count) return;
    clearInterval(timer);
    response.end("data: [DONE]\n\n");
  };
  // Streams that begin together must not send together.
  timer = setTimeout(() => {
    timer = setInterval(send, gap);
  }, Math.random() * gap);
  response.on("close", () => clearInterval(timer));
});
server.listen(0, "127.0.0.1", () => {
  const { port } = /** @type {AddressInfo} */ (server.address());
  process.send?.(`http://127.0.0.1:${port}`);
});
