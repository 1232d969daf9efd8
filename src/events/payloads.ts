import { JsonEnd } from "../json/json-end.ts";
import { readJson } from "../json/json-value.ts";
import { isObject } from "../json/object.ts";
import type { SseEvent } from "./sse.ts";

/**
 * What one event holds.
 *
 * - `json`: a JSON value, to be read by its shape; where in the data, trimmed, its text begins
 * - `done`: `[DONE]`
 * - `damaged-event`: text that is lost, since it is not JSON
 * - `reframed-event`: nothing is lost, yet frames were glued together or prefixed twice
 * - `unfinished-event`: the body ended inside of the event
 * - `unframed`: the body is this text, without any framing; it may be a completion all the same
 * - `cut`: the body is JSON that ends in the middle
 */
export type Payload =
  | { readonly type: "json"; readonly value: unknown; readonly start: number }
  | { readonly type: "done" }
  | {
      readonly type: "damaged-event" | "reframed-event" | "unfinished-event" | "unframed" | "cut";
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
    return [jsonOf(isBare ? { error: value } : value)];
  }
  // A re-framing gateway makes a comment the payload `: KEEPALIVE`.
  if (text === "" || text.startsWith(":")) return [];
  const isFramed = kind === "event";
  if (isFramed && name === "error") {
    // It says what went wrong in plain text, or with JSON in its last line.
    const error = readJson(text.slice(text.lastIndexOf("\n") + 1));
    return [jsonOf({ error: error === undefined ? text : error })];
  }
  if (isFramed && isForeignName(name) && !text.includes("{")) return [];
  return splitFrames(text, isFramed);
}

function jsonOf(value: unknown, start = 0): Payload {
  return { type: "json", value, start };
}

/**
 * A body that is JSON without framing: one value, perhaps followed by `[DONE]`. A value that has
 * closed is whole, whether or not it brings a finish reason.
 */
function readBody(text: string): Payload[] {
  const end = new JsonEnd();
  const length = end.scan(text);
  if (!end.isClosed) return [{ type: end.isBroken ? "unframed" : "cut", text }];
  const unframed: Payload = { type: "unframed", text };
  // Some gateways frame the end alone.
  const isAll = /^\s*(?:(?:data:\s*)?\[DONE\]\s*)?$/.test(text.slice(length));
  return isAll ? [jsonOf(readJson(text.slice(0, length))), unframed, DONE_PAYLOAD] : [unframed];
}

/**
 * Walks through text that should have been one frame: whole frames are read, and behind one that is
 * cut, reading goes on at the next `data:` that a whole one follows.
 *
 * A frame never holds the text `data: {` in a string in such a way that what follows is JSON: the
 * quotes in a string are escaped.
 */
function splitFrames(text: string, isFramed: boolean): Payload[] {
  const payloads: Payload[] = [];
  let rest = withoutPrefix(text);
  const hasPrefix = rest !== text;
  /** The end of `rest` that may be a frame. */
  let frame = rest;
  while (rest !== "" && payloads.at(-1) !== DONE_PAYLOAD) {
    const length = frameLength(frame);
    if (length === 0 && frame !== "") {
      frame = withoutPrefix(frame.slice(frame.search(/data:|$/)));
      continue;
    }
    if (frame !== rest) {
      const lost = rest.slice(0, rest.length - frame.length);
      const type = isFramed || frame !== "" ? "damaged-event" : "unfinished-event";
      payloads.push({ type, text: lost });
    }
    if (frame !== "") {
      const content = frame.slice(0, length);
      const start = text.length - frame.length;
      payloads.push(content === DONE ? DONE_PAYLOAD : jsonOf(readJson(content), start));
    }
    rest = withoutPrefix(frame.slice(length));
    frame = rest;
  }
  const isLossless = payloads.every((payload) => !("text" in payload));
  // What follows `[DONE]` is not part of the response.
  const isReframed = hasPrefix || payloads.length > 1 || rest !== "";
  return isLossless && isReframed ? [{ type: "reframed-event", text }, ...payloads] : payloads;
}

/** Whether an event of this name may not be about the response at all. */
export function isForeignName(name: string | undefined): boolean {
  return name !== undefined && name !== "message" && name !== "error";
}

/** How long the frame is that the text begins with; 0 where there is none. */
function frameLength(text: string): number {
  if (text.startsWith(DONE)) return DONE.length;
  const end = new JsonEnd();
  const length = end.scan(text);
  return end.isClosed ? length : 0;
}

/** What is behind white space and any number of `data:`. */
function withoutPrefix(text: string): string {
  const prefix = /(?:\s|data:)*/y;
  prefix.test(text);
  return text.slice(prefix.lastIndex);
}
