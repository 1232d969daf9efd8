// @ts-check
// A model server on loopback that streams as vLLM does: reasoning first, calls in fragments, and,
// with Kimi K3, ids that start from zero in every turn. It is as strict as the strictest servers are
// about the history that comes back.

import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * @import { IncomingMessage, ServerResponse } from "node:http"
 * @import { AddressInfo } from "node:net"
 *
 * @typedef {{ id: string, function: { name: string, arguments: string } }} Call
 * @typedef {object} Message
 * @property {string} role
 * @property {string | null} [content]
 * @property {string} [reasoning]
 * @property {Call[]} [tool_calls]
 * @property {string} [tool_call_id]
 *
 * @typedef {object} Turn
 * @property {string} reasoning
 * @property {{ name: string, arguments: string }[]} calls
 * @property {string} content
 */

/** Between two events, in milliseconds: slow enough to watch. */
const DELAY = 70;
/** In characters: short enough for a call to take several events. */
const FRAGMENT_LENGTH = 6;

/** The turns that call tools. The one behind them answers. @type {Turn[]} */
const TURNS = [
  {
    reasoning: "Two cities. Tokyo first.",
    calls: [
      { name: "get_sun", arguments: '{"city": "Tokyo"}' },
      { name: "get_time", arguments: '{"zone": "Asia/Tokyo"}' },
    ],
    content: "",
  },
  {
    reasoning: "Now São Paulo.",
    calls: [
      { name: "get_sun", arguments: '{"city": "São Paulo"}' },
      { name: "get_time", arguments: '{"zone": "America/Sao_Paulo"}' },
    ],
    content: "",
  },
];

/**
 * Starts the server on a free port.
 *
 * @param {{ delay?: number }} [options] `delay` is the time between two events, in milliseconds
 * @returns {Promise<{ url: string, close: () => Promise<void> }>} `url` is the base that SDKs ask
 *   for: requests go to `${url}/chat/completions`
 */
export async function startServer({ delay = DELAY } = {}) {
  const server = createServer((request, response) => {
    handle(request, response, delay).catch((error) => refuse(response, 400, String(error)));
  });
  await new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => resolve(undefined));
  });
  const { port } = /** @type {AddressInfo} */ (server.address());
  return {
    url: `http://127.0.0.1:${port}/v1`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // `fetch` keeps its connections open, and `close` would wait for them.
        server.closeAllConnections();
      }),
  };
}

/**
 * @param {IncomingMessage} request
 * @param {ServerResponse} response
 * @param {number} delay
 */
async function handle(request, response, delay) {
  if (request.method !== "POST" || request.url !== "/v1/chat/completions") {
    return refuse(response, 404, `There is no ${request.method} ${request.url}`);
  }
  /** @type {any} */
  const { stream, messages } = await json(request);
  const fault = stream === true ? findFault(messages) : "Only streamed responses are served";
  if (fault !== undefined) return refuse(response, 400, fault);

  const turn = nextTurn(messages);
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8" });
  for (const data of eventsOf(turn)) {
    const bytes = Buffer.from(`data: ${data}\n\n`);
    // Networks cut where they like: inside a character if it has two bytes, else inside the JSON.
    const firstOfTwo = bytes.findIndex((byte) => byte > 0x7f);
    const cut = firstOfTwo === -1 ? bytes.length >> 1 : firstOfTwo + 1;
    for (const piece of [bytes.subarray(0, cut), bytes.subarray(cut)]) {
      await sleep(delay / 2);
      if (response.destroyed) return;
      response.write(piece);
    }
  }
  response.end();
}

/**
 * @param {ServerResponse} response
 * @param {number} code
 * @param {string} message
 */
function refuse(response, code, message) {
  response.writeHead(code, { "content-type": "application/json" });
  const type = code === 404 ? "NotFoundError" : "BadRequestError";
  response.end(JSON.stringify({ error: { message, type, param: null, code } }));
}

/**
 * What a strict server refuses: ids that repeat, calls and results that do not pair, reasoning that
 * did not come back.
 *
 * @param {Message[]} messages
 */
function findFault(messages) {
  const ids = new Set();
  /** The calls of the latest assistant message that wait for their results. */
  const open = new Set();
  for (const [index, message] of messages.entries()) {
    if (message.role === "tool") {
      if (open.delete(message.tool_call_id)) continue;
      return `messages[${index}] answers no call: '${message.tool_call_id}'`;
    }
    if (open.size > 0) return `messages[${index}] stands where results are missing: ${[...open]}`;
    const calls = message.tool_calls ?? [];
    for (const { id } of calls) {
      if (ids.has(id)) return `messages[${index}] repeats the tool call id '${id}'`;
      ids.add(id);
      open.add(id);
    }
    if (calls.length > 0 && !message.reasoning) return `messages[${index}] has lost its reasoning`;
  }
  return open.size > 0 ? `Results are missing: ${[...open]}` : undefined;
}

/**
 * The server keeps no state: the history says which turn is next.
 *
 * @param {Message[]} messages
 * @returns {Turn}
 */
function nextTurn(messages) {
  const turn = TURNS[messages.filter(({ role }) => role === "assistant").length];
  return turn ?? { reasoning: "I know enough.", calls: [], content: answerFrom(messages) };
}

/**
 * Reads the answer off the results, each found by the id of its call.
 *
 * @param {Message[]} messages
 */
function answerFrom(messages) {
  const contents = new Map(messages.map(({ tool_call_id: id, content }) => [id, content]));
  const turns = messages.flatMap(({ tool_calls: calls }) => (calls === undefined ? [] : [calls]));
  const sentences = turns.map((calls) => {
    const { city } = merge(calls.map((call) => call.function.arguments));
    const { rise, set, time } = merge(calls.map(({ id }) => contents.get(id)));
    if (!rise || !set || !time) throw new Error(`The results for ${city} do not say enough`);
    const isUp = rise <= time && time < set;
    return `In ${city} it is ${time} and the sun is ${isUp ? "up" : "down"} (${rise} to ${set}).`;
  });
  return sentences.join(" ");
}

/** @param {(string | null | undefined)[]} texts JSON objects */
function merge(texts) {
  return Object.assign({}, ...texts.map((text) => JSON.parse(text ?? "{}")));
}

/**
 * The payloads of one response, fields in vLLM's order.
 *
 * @param {Turn} turn
 */
function* eventsOf({ reasoning, calls, content }) {
  const envelope = {
    id: `chatcmpl-${crypto.randomUUID().replaceAll("-", "")}`,
    object: "chat.completion.chunk",
    created: Math.floor(Date.now() / 1000),
    model: "moonshotai/Kimi-K3",
  };
  const event = (delta = {}, end = {}) => {
    const choice = { index: 0, delta, logprobs: null, finish_reason: null, ...end };
    return JSON.stringify({ ...envelope, choices: [{ ...choice, token_ids: null }] });
  };

  yield event({ role: "assistant", content: "" });
  for (const word of wordsOf(reasoning)) yield event({ reasoning: word });
  for (const [index, { name, arguments: text }] of calls.entries()) {
    // Here lies the trouble: the next turn will say `get_sun:0` again.
    const start = { id: `${name}:${index}`, type: "function", index, function: { name } };
    yield event({ tool_calls: [start] });
    for (let position = 0; position < text.length; position += FRAGMENT_LENGTH) {
      const fragment = text.slice(position, position + FRAGMENT_LENGTH);
      yield event({ tool_calls: [{ index, function: { arguments: fragment } }] });
    }
  }
  for (const word of wordsOf(content)) yield event({ content: word });
  yield event({}, { finish_reason: calls.length > 0 ? "tool_calls" : "stop", stop_reason: null });
  yield "[DONE]";
}

/** @param {string} text */
function wordsOf(text) {
  return text.match(/\S+\s*/g) ?? [];
}
