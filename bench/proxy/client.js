// @ts-check

import { once } from "node:events";
import { Agent, request } from "node:http";

/** @import { IncomingMessage } from "node:http" */

const CHAT = JSON.stringify({ model: "kimi-k3", stream: true, messages: [] });
const HEADERS = { "content-type": "application/json" };
/** A connection that is kept, so that its opening is no part of what is measured. */
const kept = new Agent({ keepAlive: true });

/**
 * Reads one stream to its end.
 *
 * @param {string} url
 * @param {number} count how many events it must have
 * @param {number} gap between two, in milliseconds
 * @param {() => void} [onEvent]
 * @returns {Promise<number[]>} how long each event was on its way, in microseconds
 */
export async function read(url, count, gap, onEvent) {
  const path = `${url}/v1/chat/completions?count=${count}&gap=${gap}`;
  const response = await ask(path, CHAT, false);
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

/**
 * Sends a body, and waits for the answer.
 *
 * @param {string} url
 * @param {string} path
 * @param {string | Buffer} body
 * @returns {Promise<number>} how long that took, in milliseconds
 */
export async function send(url, path, body) {
  const start = performance.now();
  const response = await ask(`${url}${path}`, body, kept);
  response.resume();
  await once(response, "end");
  return performance.now() - start;
}

/**
 * @param {string} url
 * @param {string | Buffer} body
 * @param {Agent | false} agent
 * @returns {Promise<IncomingMessage>}
 */
function ask(url, body, agent) {
  const headers = { ...HEADERS, "content-length": Buffer.byteLength(body) };
  return new Promise((resolve, reject) => {
    request(url, { method: "POST", headers, agent }, resolve).on("error", reject).end(body);
  });
}
