// @ts-check

import { request } from "node:http";

/** @import { IncomingMessage } from "node:http" */

const BODY = JSON.stringify({ model: "kimi-k3", stream: true, messages: [] });
const HEADERS = { "content-type": "application/json" };

/**
 * Reads one stream to its end.
 *
 * @param {string} url
 * @param {number} count how many events it must have
 * @param {() => void} [onEvent]
 * @returns {Promise<number[]>} how long each event was on its way, in microseconds
 */
export async function read(url, count, onEvent) {
  /** @type {IncomingMessage} */
  const response = await new Promise((resolve, reject) => {
    const path = `${url}/v1/chat/completions?count=${count}`;
    request(path, { method: "POST", headers: HEADERS, agent: false }, resolve)
      .on("error", reject)
      .end(BODY);
  });
  const delays = [];
  let rest = "";
  for await (const chunk of response) {
    const now = process.hrtime.bigint();
    const events = `${rest}${chunk}`.split("\n\n");
    rest = events.pop() ?? "";
    for (const event of events) {
      const [, stamp] = /"stamp":"(\d+)"/.exec(event) ?? [];
      if (stamp === undefined) continue;
      delays.push(Number(now - BigInt(stamp)) / 1000);
      onEvent?.();
    }
  }
  if (delays.length !== count) throw new Error(`${delays.length} events of ${count} arrived`);
  return delays;
}
