// @ts-check
// How much processor time the streams take, as a ratio to the floor of the same dialect: the least that
// reads calls with the platform's own parts (see floor.js). `npm run bench`, or `npm run bench -- agent`
// for one body.
//
// Method: one process; the contenders take turns in rounds, and the ratio is taken inside of each
// round, so that a machine that slows down slows all of them. The time is that of the process, garbage
// collection and compilation included, so that what else the machine does counts little. Medians over the rounds; results are
// compared with what was generated before anything is timed; rounds to warm up are not counted.
//
// Threats: chunks come from memory, so nothing here waits for a network, and the share of the streams
// is larger than in practice. Garbage is collected whenever the engine likes. Nanoseconds are those of
// this machine; only ratios compare between machines, and other versions of V8 give others.

import { ChatEventStream, ToolCallStream, UniqueToolCallIdStream } from "toolcall-stream";
import { BODIES, CHAT_BODIES, CHUNKINGS } from "./bodies.js";
import { FloorStream } from "./floor.js";
import { median, readThrough } from "./read.js";

const WARM_UP_ROUNDS = 2;
const MIN_ROUNDS = 7;
const MAX_ROUNDS = 40;
/** For one body and chunking, all contenders together. */
const BUDGET_MS = 3500;

/** @typedef {import("./bodies.js").DialectName} DialectName */

const CONTENDERS = {
  floor: (/** @type {DialectName} */ dialect) => new FloorStream(dialect),
  ToolCallStream: () => new ToolCallStream(),
  ChatEventStream: () => new ChatEventStream(),
  UniqueToolCallIdStream: () => new UniqueToolCallIdStream(),
};

/** @type {DialectName[]} */
const DIALECTS = ["chat", "messages", "responses"];

/** Short bodies are read so often in a round that it has about this many events: the clock is coarse. */
const EVENTS_PER_ROUND = 5000;

const OURS = /** @type {const} */ (["ToolCallStream", "ChatEventStream", "UniqueToolCallIdStream"]);

/**
 * @param {import("./bodies.js").Body} body
 * @param {Uint8Array[]} chunks
 */
async function check({ calls, text, dialect }, chunks) {
  const stream = new ToolCallStream();
  const found = await readThrough(chunks, stream);
  const byIndex = found.slice().sort((a, b) => a.index - b.index);
  const isEqual =
    byIndex.length === calls.length &&
    byIndex.every((call, index) => call.arguments === calls[index]?.arguments) &&
    contentOf(await stream.completion) === text;
  const floor = await readThrough(chunks, new FloorStream(dialect));
  const isFloorEqual = floor.every((call, index) => call.arguments === calls[index]?.arguments);
  if (!isEqual || !isFloorEqual) throw new Error("A contender does not read what was generated");
}

/** @param {import("toolcall-stream").Completion} completion */
function contentOf({ dialect, message }) {
  if (dialect === "chat") return message?.content ?? "";
  const parts = /** @type {any[]} */ (dialect === "messages" ? message?.content : message) ?? [];
  const texts = parts.flatMap((part) => (part.type === "message" ? part.content : part));
  return texts.map(({ type, text }) => (/text/.test(type) && text) || "").join("");
}

/** @returns {number} milliseconds that this process has had the processor */
function now() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/**
 * @param {Uint8Array[]} chunks
 * @param {DialectName} dialect
 * @param {number} times
 * @returns {Promise<Record<keyof typeof CONTENDERS, number>>} milliseconds
 */
async function round(chunks, dialect, times) {
  const spent = { floor: 0, ToolCallStream: 0, ChatEventStream: 0, UniqueToolCallIdStream: 0 };
  for (const name of /** @type {(keyof typeof CONTENDERS)[]} */ (Object.keys(CONTENDERS))) {
    const start = now();
    for (let count = 0; count < times; count += 1) {
      await readThrough(chunks, /** @type {TransformStream} */ (CONTENDERS[name](dialect)));
    }
    spent[name] = (now() - start) / times;
  }
  return spent;
}

/** @param {Uint8Array[]} chunks @param {DialectName} dialect @param {number} times */
async function measure(chunks, dialect, times) {
  for (let count = 0; count < WARM_UP_ROUNDS; count += 1) await round(chunks, dialect, times);
  const rounds = [];
  const end = performance.now() + BUDGET_MS;
  while (rounds.length < MIN_ROUNDS || (rounds.length < MAX_ROUNDS && performance.now() < end)) {
    rounds.push(await round(chunks, dialect, times));
  }
  return rounds;
}

const only = process.argv[2];
console.log(`Node ${process.version}. Ratios to the floor; less is faster.\n`);
console.log(`| dialect | body | chunks | floor, ns/event | ${OURS.join(" | ")} |`);
console.log(`| --- | --- | --- | ---: |${" ---: |".repeat(OURS.length)}`);
for (const dialect of DIALECTS) {
  const bodies = dialect === "chat" ? { ...BODIES, ...CHAT_BODIES } : BODIES;
  for (const [bodyName, makeBody] of Object.entries(bodies)) {
    if (only !== undefined && only !== bodyName) continue;
    const body = makeBody(dialect);
    for (const [chunking, cut] of Object.entries(CHUNKINGS)) {
      // A byte at a time, 50,000 events or 2 MB tell no more than 500 events do.
      if (chunking === "1-17 B" && bodyName !== "typical") continue;
      const chunks = cut(body.events);
      await check(body, chunks);
      const times = Math.ceil(EVENTS_PER_ROUND / body.events.length);
      const rounds = await measure(chunks, dialect, bodyName === "giant" ? 1 : times);
      const floor = (median(rounds.map((spent) => spent.floor)) * 1e6) / body.events.length;
      const ratios = OURS.map((name) =>
        median(rounds.map((spent) => spent[name] / spent.floor)).toFixed(2),
      );
      const cells = [dialect, bodyName, chunking, floor.toFixed(0), ...ratios];
      console.log(`| ${cells.join(" | ")} |`);
    }
  }
}
