// A server that plays the turns of a scenario in one of three dialects, and gives the calls the ids
// that Kimi K3 gives them: the name of the tool and a number, which starts anew in every turn.

import { once } from "node:events";
import { createServer } from "node:http";
import { json } from "node:stream/consumers";
import { setImmediate, setTimeout } from "node:timers/promises";
import { constants, createGzip } from "node:zlib";
import { chat } from "./dialects/chat.js";
import { messages } from "./dialects/messages.js";
import { responses } from "./dialects/responses.js";
import { hex } from "./hex.js";
import { FINAL_TEXT, MODEL } from "./scenarios.js";

/** @import { IncomingMessage, ServerResponse } from "node:http" */
/** @import { ScriptedCall } from "./scenarios.js" */

/** @typedef {{ id: string | undefined, name: string, args: string }} WireCall */

/**
 * @typedef {object} Reply
 * @property {string} id
 * @property {string} model
 * @property {WireCall[]} calls
 * @property {string | undefined} text
 * @property {Pick<Reply, "calls" | "text"> | undefined} closing what the closing event has instead
 */

/**
 * What a history is to the judge. A turn of the model ends at a break.
 *
 * @typedef {{ kind: "call", id: string, name: string, input: unknown }
 *   | { kind: "result", id: string, text: string }
 *   | { kind: "break" }} Entry
 */

/**
 * @typedef {object} Dialect
 * @property {string} path
 * @property {(reply: Reply, body: any) => string} stream
 * @property {(reply: Reply) => object} json
 * @property {object} refusal
 * @property {(body: any) => { items: unknown[], before: string | undefined }} asked the part of the
 *   history that a request brings, and the key of what goes before it, where the server holds that
 * @property {(reply: Reply, body: any) => { key: string | undefined, items: unknown[] }} answered
 * @property {(items: any[]) => Entry[]} entries
 */

const DIALECTS = [chat, messages, responses];

/** Cuts the events at odd places. */
const PIECE_LENGTH = 101;

const CUT_DELAY_MS = 50;

const GZIP_HEADER = { "content-encoding": "gzip" };

/**
 * @typedef {object} Play
 * @property {(ScriptedCall[] | string)[]} turns
 * @property {boolean} isSplit
 * @property {boolean} isRefusedOnce
 * @property {boolean} isCompressed
 * @property {"restart" | "same" | "none"} ids
 * @property {boolean} isCutOnce
 * @property {boolean} isIdeal whether all ids are unique, whatever the others say
 */

/**
 * What the server has seen since it started to play.
 *
 * @typedef {object} Seen
 * @property {number} requests
 * @property {Entry[]} history of the last request that was answered
 * @property {boolean} isHeld whether the server held a part of that history
 * @property {string[]} errors
 */

export async function startServer() {
  /** @type {Play} */
  let play = {
    turns: [],
    isSplit: false,
    isRefusedOnce: false,
    isCompressed: false,
    ids: "restart",
    isCutOnce: false,
    isIdeal: false,
  };
  /** @type {Seen} */
  let seen = nothing();
  /** The histories that the server holds, by the keys of what they end with. */
  const held = new Map();
  /** The items that it holds, by their ids: some clients send only these. @type {Map<string, any>} */
  const heldItems = new Map();

  /** @param {IncomingMessage} request @param {ServerResponse} response */
  const serve = async (request, response) => {
    seen.requests += 1;
    const { pathname } = new URL(request.url ?? "/", "http://localhost");
    // Claude Code looks whether anyone is there.
    if (request.method === "HEAD") return response.end();
    const dialect = DIALECTS.find(({ path }) => path === pathname);
    if (dialect === undefined || request.method !== "POST") {
      seen.errors.push(`Asked for ${request.method} ${request.url}`);
      return send(response, 404, { error: { message: "Not found", code: 404 } });
    }
    const body = /** @type {any} */ (await json(request));
    const isCompressed = play.isCompressed && takesGzip(request);
    if (play.isRefusedOnce) {
      play.isRefusedOnce = false;
      // Some try again only where they are told when.
      response.setHeader("retry-after", "0");
      return send(response, 429, dialect.refusal);
    }
    const { items, before } = dialect.asked(body);
    // Agents ask for a title of the session as well, without any tool.
    if (before === undefined && !(body.tools?.length > 0)) {
      return send(response, 200, dialect.json(replyOf(FINAL_TEXT, play)));
    }
    if (before !== undefined && !held.has(before)) {
      seen.errors.push(`Holds nothing as ${before}`);
      return send(response, 404, { error: { message: "Not found", code: 404 } });
    }
    const named = items.map((/** @type {any} */ item) =>
      item.type === "item_reference" ? heldItems.get(item.id) : item,
    );
    const history = [...(held.get(before) ?? []), ...named];
    const fault = named.includes(undefined) ? "An item is not found" : orphanIn(history, items);
    if (fault !== undefined) {
      seen.errors.push(fault);
      return send(response, 400, { error: { message: fault, type: "invalid_request_error" } });
    }
    seen.history = dialect.entries(history);
    seen.isHeld = before !== undefined;

    const isCut = play.isCutOnce;
    play.isCutOnce = false;
    const turn = isCut ? play.turns[0] : play.turns.shift();
    if (turn === undefined) {
      seen.errors.push("Asked again after the last turn");
      return send(response, 400, { error: { message: "No turn is left", code: 400 } });
    }
    const reply = replyOf(turn, play);
    const answer = dialect.answered(reply, body);
    if (answer.key !== undefined) held.set(answer.key, [...history, ...answer.items]);
    for (const item of /** @type {any[]} */ (answer.items)) heldItems.set(item.id, item);

    const type = body.stream ? "text/event-stream; charset=utf-8" : "application/json";
    response.writeHead(200, { "content-type": type, ...(isCompressed && GZIP_HEADER) });
    /** @type {import("node:stream").Writable} */
    let out = response;
    if (isCompressed) {
      const gzip = createGzip({ flush: constants.Z_SYNC_FLUSH });
      gzip.pipe(response);
      out = gzip;
    }
    const text = body.stream ? dialect.stream(reply, body) : JSON.stringify(dialect.json(reply));
    const length = isCut ? text.indexOf("looked-up") : text.length;
    for (let at = 0; at < length; at += PIECE_LENGTH) {
      out.write(text.slice(at, at + PIECE_LENGTH));
      await setImmediate();
    }
    if (isCut) {
      // What has been written goes out first.
      await setTimeout(CUT_DELAY_MS);
      response.destroy();
    } else out.end();
  };

  const server = createServer((request, response) => {
    serve(request, response).catch((error) => {
      seen.errors.push(String(error));
      response.destroy();
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = /** @type {import("node:net").AddressInfo} */ (server.address());

  return {
    url: `http://127.0.0.1:${port}`,
    /** @param {Play} next */
    play(next) {
      play = { ...next, turns: [...next.turns] };
      seen = nothing();
      return seen;
    },
    /** @param {string} key of a conversation, which a client has to make before it asks */
    hold: (key) => held.set(key, []),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

/** @param {IncomingMessage} request */
const takesGzip = ({ headers }) => String(headers["accept-encoding"]).includes("gzip");

/** @returns {Seen} */
const nothing = () => ({ requests: 0, history: [], isHeld: false, errors: [] });

/** @param {ServerResponse} response @param {number} status @param {object} body */
function send(response, status, body) {
  response.writeHead(status, { "content-type": "application/json" });
  response.end(JSON.stringify(body));
}

/**
 * What OpenAI says of a result whose call no one knows. Others let it pass.
 *
 * @param {any[]} history
 * @param {any[]} items as they came
 */
function orphanIn(history, items) {
  if (!items.some(({ type }) => type === "item_reference")) return undefined;
  const ids = new Set(
    history.flatMap(({ type, call_id }) => (type === "function_call" ? call_id : [])),
  );
  const orphan = history.find(
    ({ type, call_id }) => type === "function_call_output" && !ids.has(call_id),
  );
  return orphan && `No tool call found for function call output with call_id ${orphan.call_id}.`;
}

/** @param {ScriptedCall[] | string} turn @param {Play} play @returns {Reply} */
function replyOf(turn, { isSplit, isIdeal, ids }) {
  const reply = { id: hex(), model: MODEL, closing: undefined };
  if (typeof turn === "string") return { ...reply, calls: [], text: turn };
  const calls = turn.map(({ name, input }, index) => ({
    id: isIdeal ? `call_${hex()}` : idOf(name, index, ids),
    name,
    args: JSON.stringify(input).replaceAll('":"', '": "'),
  }));
  if (!isSplit) return { ...reply, calls, text: undefined };
  // The front end makes ids of its own while it streams, and takes those of the parser at the end.
  const streamed = calls.map((call) => Object.assign({}, call, { id: `call_${hex()}` }));
  return { ...reply, calls: streamed, text: undefined, closing: { calls, text: undefined } };
}

/** @param {string} name @param {number} index @param {Play["ids"]} ids */
function idOf(name, index, ids) {
  if (ids === "none") return undefined;
  return `${name}:${ids === "same" ? 0 : index}`;
}
