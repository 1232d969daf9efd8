import { JsonEnd } from "./json-end.ts";
import { readJson } from "./json-value.ts";
import { isForeignName, isObject } from "./provider-error.ts";
import type { SseEvent } from "./sse.ts";

/**
 * What one event holds.
 *
 * - `json`: a JSON value, to be read by its shape; where in the data, trimmed, its text begins
 * - `done`: `[DONE]`
 * - `damaged`: text that is lost, since it is not JSON
 * - `reframed`: nothing is lost, yet frames were glued together or prefixed twice
 * - `unfinished`: the body ended inside of the event
 * - `unframed`: the body is this text, without any framing; it may be a completion all the same
 * - `cut`: the body is JSON that ends in the middle
 */
export type Payload =
  | { readonly type: "json"; readonly value: unknown; readonly start: number }
  | { readonly type: "done" }
  | {
      readonly type: "damaged" | "reframed" | "unfinished" | "unframed" | "cut";
      readonly text: string;
    };

const DONE = "[DONE]";
const DONE_PAYLOAD: Payload = { type: "done" };

/** Event → payloads, whatever it holds. */
export function readPayloads({ kind, name, data }: SseEvent): Payload[] {
  if (kind === "body") return readBody(data);
  const text = data.trim();
  if (text === DONE) return [DONE_PAYLOAD];
  const value = readJson(text);
  if (value !== undefined) {
    // An `error` event may hold a mere string, or a list.
    const isBare = name === "error" && value !== null && !isObject(value);
    return [{ type: "json", value: isBare ? { error: value } : value, start: 0 }];
  }
  // A re-framing gateway makes a comment the payload `: KEEPALIVE`.
  if (text === "" || text.startsWith(":")) return [];
  if (kind === "event") {
    if (name === "error") return [{ type: "json", value: errorOf(text), start: 0 }];
    if (isForeignName(name) && !text.includes("{")) return [];
  }
  return splitFrames(text, kind === "event");
}

/**
 * A body that is JSON without framing: one value, perhaps followed by `[DONE]`. A value that has
 * closed is whole, whether or not it brings a finish reason.
 */
function readBody(text: string): Payload[] {
  const end = new JsonEnd();
  const position = end.scan(text);
  if (!end.isClosed && !end.isFailed) return [{ type: "cut", text }];
  const unframed: Payload = { type: "unframed", text };
  const rest = text.slice(position).trim();
  // Some gateways frame the end alone.
  const isAll = rest === "" || rest.replace(/^data:\s*/, "") === DONE;
  if (!end.isClosed || !isAll) return [unframed];
  const value = readJson(text.slice(0, position));
  return [{ type: "json", value, start: 0 }, unframed, DONE_PAYLOAD];
}

/** An `error` event says what went wrong in plain text, or with JSON in its last line. */
function errorOf(text: string): unknown {
  const value = readJson(text.slice(text.lastIndexOf("\n") + 1));
  return { error: value === undefined ? text : value };
}

/**
 * Walks through text that should have been one frame: whole frames are read, and behind one that is
 * cut, reading goes on at the next `data:` that a whole one follows.
 *
 * A frame never holds the text `data: {` in a string in such a way that what follows is JSON: the
 * quotes in a string are escaped.
 */
function splitFrames(text: string, isWholeEvent: boolean): Payload[] {
  const payloads: Payload[] = [];
  let isReframed = false;
  let position = skipPrefix(text, 0);
  if (position > 0) isReframed = true;
  while (position < text.length) {
    const frame = readFrame(text, position);
    if (frame !== undefined) {
      payloads.push(frame.payload);
      position = skipPrefix(text, frame.end);
      if (position < text.length) isReframed = true;
      if (frame.payload === DONE_PAYLOAD) break; // What follows is not part of the response.
      continue;
    }
    const next = findFrame(text, position);
    const lost = text.slice(position, next);
    payloads.push(
      isWholeEvent || next < text.length
        ? { type: "damaged", text: lost }
        : { type: "unfinished", text: lost },
    );
    position = next;
  }
  const isLossless = payloads.every(({ type }) => type === "json" || type === "done");
  return isReframed && isLossless ? [{ type: "reframed", text }, ...payloads] : payloads;
}

function readFrame(text: string, start: number): { payload: Payload; end: number } | undefined {
  if (text.startsWith(DONE, start)) return { payload: DONE_PAYLOAD, end: start + DONE.length };
  const json = new JsonEnd();
  const end = json.scan(text, start);
  if (!json.isClosed) return undefined;
  return { payload: { type: "json", value: readJson(text.slice(start, end)), start }, end };
}

/** Where the next frame stands that can be read, or the end. */
function findFrame(text: string, after: number): number {
  let prefix = text.indexOf("data:", after);
  while (prefix !== -1) {
    const start = skipPrefix(text, prefix);
    if (readFrame(text, start) !== undefined) return start;
    prefix = text.indexOf("data:", start);
  }
  return text.length;
}

/** Past white space and any number of `data:`. */
function skipPrefix(text: string, start: number): number {
  const prefix = /(?:\s|data:)*/y;
  prefix.lastIndex = start;
  prefix.test(text);
  return prefix.lastIndex;
}
