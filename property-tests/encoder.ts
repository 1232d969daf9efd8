import type { Dialect, JsonObject } from "../src/index.ts";
import { escaped } from "./json-text.ts";
import type { IndexQuirk, Noise, NoiseKind, Quirks, Scenario } from "./quirks.ts";
import type { ModelTurn } from "./turns.ts";

/** Which call of which choice, both counted from 0, as the model means them. */
export interface CallPlace {
  readonly choice: number;
  readonly call: number;
}

/** One event on the wire, and what it does to the calls of the turn. */
export interface Frame {
  readonly text: string;
  /** The calls that it is the first to name. */
  readonly starts: readonly CallPlace[];
  /** The calls to which nothing can be added after it, in the order in which that becomes so. */
  readonly completes: readonly CallPlace[];
  /** Whether the response ends with it. */
  readonly isEnd: boolean;
}

/** Turns → the bodies that a server of one dialect sends. */
export interface Encoder {
  readonly dialect: Dialect;
  /** The scenario as this dialect can have it, changed as little as needed. */
  fitted(scenario: Scenario): Scenario;
  /** The events of the body; their texts, joined, are the body. */
  frames(turn: ModelTurn, quirks: Quirks): Frame[];
  encode(turn: ModelTurn, quirks: Quirks): string;
  /** The same as parsed values, without what has no JSON. */
  payloads(turn: ModelTurn, quirks: Quirks): JsonObject[];
  /** What a message of the dialect says. */
  saidIn(message: object, quirks: Quirks): Said;
}

/** What a message says, whatever its shape. */
export interface Said {
  readonly content: string;
  readonly reasoning: string;
  readonly calls: readonly { readonly id: unknown; readonly name: unknown }[];
  /** What else is in it, unknown fields of deltas aside. */
  readonly others: readonly string[];
}

/** What an event says, before it is framed. `data` is text where the payload is not JSON. */
export interface Event {
  readonly name?: string | undefined;
  readonly data: JsonObject | string;
  readonly starts: readonly CallPlace[];
  readonly completes: readonly CallPlace[];
  readonly isEnd: boolean;
}

/** Where the call at a position, counted by first appearance, stands in its turn. */
export function placeOf(
  frames: readonly Frame[],
  { choice, index }: { readonly choice: number; readonly index: number },
): CallPlace {
  const started = frames.flatMap(({ starts }) => starts);
  const place = started.filter((other) => other.choice === choice)[index];
  if (place === undefined) throw new Error(`Call ${index} of choice ${choice} was never sent`);
  return place;
}

export function textsOf(frames: readonly Frame[]): string {
  return frames.map(({ text }) => text).join("");
}

/** Any merge of the strands that keeps the order of each. */
export function merged<T>(strands: readonly (readonly T[])[], merge: readonly number[]): T[] {
  const rest = strands.map((strand) => strand.slice()).filter((strand) => strand.length > 0);
  const result: T[] = [];
  for (let count = 0; rest.length > 0; count += 1) {
    const pick = (merge[count % Math.max(merge.length, 1)] ?? 0) % rest.length;
    const strand = rest[pick] as T[];
    result.push(strand.shift() as T);
    if (strand.length === 0) rest.splice(pick, 1);
  }
  return result;
}

/** In groups of these sizes, cyclically; no sizes: one by one. */
export function grouped<T>(items: readonly T[], sizes: readonly number[]): T[][] {
  const result: T[][] = [];
  let start = 0;
  for (let count = 0; start < items.length; count += 1) {
    const end = start + (sizes[count % Math.max(sizes.length, 1)] ?? 1);
    result.push(items.slice(start, end));
    start = end;
  }
  return result;
}

/** Fields that no one has to know, where anything may stand. */
export const UNKNOWN_FIELDS: JsonObject = { obfuscation: "Xk2", logprobs: null, error: null };

/** What would be a call, did it stand where calls do. */
export const FOREIGN_CALL = { tool_calls: [{ index: 0, id: "no", function: { name: "no" } }] };

/** Far from every other index: where copies of calls begin. */
export const COPY_INDEX = 5000;

/** The index of a call or block, on the delta at this position among its own. */
export function indexOf(call: number, position: number, quirk: IndexQuirk): unknown {
  switch (quirk) {
    case "counted":
      return call;
    case "from-one":
      return call + 1;
    case "sparse":
      return call * 2 ** 31 + 7;
    case "negative":
      return -1 - call;
    case "text":
      return `tool-${call}`;
    case "mixed":
      return position % 2 === 0 ? call : `${call}`;
    case "none":
      return [undefined, null, ""][position % 3];
    case "all-zero":
      return 0;
    default:
      return quirk satisfies never;
  }
}

/** Without what is `undefined`. */
export function defined(fields: Record<string, unknown>): JsonObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** An event that says nothing of calls. */
export function silentEvent(data: Event["data"], name?: string): Event[] {
  return [{ data, name, starts: [], completes: [], isEnd: false }];
}

/** Events → frames, noise among them. `noiseEvents` has the dialect's own kinds of noise. */
export function framed(
  events: readonly Event[],
  quirks: Quirks,
  noiseEvents: (noise: Noise["kind"]) => (Event | string)[],
): Frame[] {
  const withNoise: (Event | string)[] = [];
  for (const [position, event] of events.entries()) {
    for (const { kind, before } of quirks.noise) {
      if (before % events.length === position) withNoise.push(...noiseEvents(kind));
    }
    withNoise.push(event);
  }
  const frames = withNoise.map((event, position) => {
    const lineEnd = quirks.lineEnds[position % quirks.lineEnds.length] ?? "\n";
    if (typeof event === "string") return silent(event.replaceAll("\n", lineEnd));
    const { starts, completes, isEnd } = event;
    return { text: eventText(event, quirks).join(lineEnd) + lineEnd, starts, completes, isEnd };
  });
  if (quirks.hasByteOrderMark) frames.unshift(silent("\uFEFF"));
  const last = frames[frames.length - 1];
  if (quirks.lacksLastBlankLine && last !== undefined) {
    frames[frames.length - 1] = { ...last, text: last.text.replace(/(?:\r\n|\n|\r){1,2}$/, "") };
  }
  return frames;
}

function silent(text: string): Frame {
  return { text, starts: [], completes: [], isEnd: false };
}

/** The lines of an event, the blank one included. */
function eventText(event: Event, quirks: Quirks): string[] {
  const prefix = quirks.hasSpace ? "data: " : "data:";
  const data = typeof event.data === "string" ? event.data : json(event.data, quirks);
  const name = event.name ?? quirks.eventName;
  return [
    ...(name === undefined ? [] : [`event: ${name}`]),
    ...data.split("\n").map((line) => prefix + line),
    "",
  ];
}

/** The JSON of a payload. */
export function json(payload: JsonObject, { isMultiLine, isAscii }: Quirks): string {
  const text = JSON.stringify(payload, null, isMultiLine ? 1 : undefined);
  // As Python's json.dumps writes it.
  // oxlint-disable-next-line no-control-regex -- everything that is not ASCII
  return isAscii ? text.replace(/[^\x00-\x7F]/g, escaped) : text;
}

/** Noise that is the same in every dialect; the rest is left to the dialect's own `noiseEvents`. */
export function commonNoise(kind: NoiseKind): (Event | string)[] | undefined {
  switch (kind) {
    case "comment":
      return [": PROCESSING\n"];
    case "keep-alive":
      return silentEvent(": KEEPALIVE");
    case "ping":
      return silentEvent({ type: "ping" }, "ping");
    case "foreign-error":
      return silentEvent({ error: { message: "not of this response" } }, "progress");
    case "empty-data":
      return silentEvent("");
    case "null":
      return silentEvent("null");
    case "scalar":
      return silentEvent("12");
    case "unknown-shape":
      return silentEvent(FOREIGN_CALL);
    case "retry":
      return ["retry: 3000\nid: 7\n\n"];
    default:
      return undefined;
  }
}
