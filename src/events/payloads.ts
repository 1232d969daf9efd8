import { JsonEnd } from "../json/json-end.ts";
import { readJson } from "../json/json-value.ts";
import { isObject } from "../json/object.ts";
import type { SseEvent } from "./sse.ts";

/**
 * The content of one event.
 *
 * - `json`: a JSON value, to be read by its shape; `start` is where its text begins in the trimmed data
 * - `done`: `[DONE]`
 * - `damaged-event`: text that is lost, since it is not JSON
 * - `reframed-event`: nothing is lost, yet frames were glued together or prefixed twice
 * - `unfinished-event`: the body ended inside of the event
 * - `unframed`: the body is this text, without any framing; it may still be a completion
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

/** Event → payloads, whatever the event holds. */
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
  // A re-framing gateway turns a comment into the payload `: KEEPALIVE`.
  if (text === "" || text.startsWith(":")) return [];
  const isFramed = kind === "event";
  if (isFramed && name === "error") {
    // The event tells its error in plain text, or as JSON in its last line.
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
  // Some gateways frame only the `[DONE]`.
  const isAll = /^\s*(?:(?:data:\s*)?\[DONE\]\s*)?$/.test(text.slice(length));
  return isAll ? [jsonOf(readJson(text.slice(0, length))), unframed, DONE_PAYLOAD] : [unframed];
}

/**
 * Walks through text that should have been one frame, and reads the whole frames in it. Behind a cut
 * frame, it goes on at the next `data:` with a whole frame.
 *
 * A string in a frame may hold the text `data: {`, but JSON never follows there: the quotes in a
 * string are escaped.
 */
function splitFrames(text: string, isFramed: boolean): Payload[] {
  const payloads: Payload[] = [];
  let rest = withoutPrefix(text);
  const hasPrefix = rest !== text;
  /** The rest of the text, from a place where a frame may begin. */
  let frame = rest;
  while (rest !== "" && payloads.at(-1) !== DONE_PAYLOAD) {
    const length = frameLength(frame);
    if (length === 0 && frame !== "") {
      // No JSON string goes over the end of a line: an error in a line of its own is a frame.
      frame = withoutPrefix(frame.slice(frame.search(/data:|\n\s*(?=\{\s*"error"\s*:)|$/)));
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
  // Text behind `[DONE]` is not part of the response.
  const isReframed = hasPrefix || payloads.length > 1 || rest !== "";
  return isLossless && isReframed ? [{ type: "reframed-event", text }, ...payloads] : payloads;
}

/** Whether an event of this name may not be about the response at all. */
export function isForeignName(name: string | undefined): boolean {
  return name !== undefined && name !== "message" && name !== "error";
}

/** The length of the frame at the start of the text; 0 if there is none. */
function frameLength(text: string): number {
  if (text.startsWith(DONE)) return DONE.length;
  const end = new JsonEnd();
  const length = end.scan(text);
  return end.isClosed ? length : 0;
}

/** The text behind white space and any number of `data:`. */
function withoutPrefix(text: string): string {
  const prefix = /(?:\s|data:)*/y;
  prefix.test(text);
  return text.slice(prefix.lastIndex);
}
