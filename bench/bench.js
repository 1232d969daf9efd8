// @ts-check
// How long the streams take, as a ratio to the floor: the least that reads calls with the platform's
// own parts (see floor.js). `npm run bench`, or `npm run bench -- agent` for one body.
//
// Method: one process; the contenders take turns in rounds, and the ratio is taken inside of each
// round, so that a machine that slows down slows all of them. Medians over the rounds; results are
// compared with what was generated before anything is timed; rounds to warm up are not counted.
//
// Threats: chunks come from memory, so nothing here waits for a network, and the share of the streams
// is larger than in practice. Garbage is collected whenever the engine likes. Nanoseconds are those of
// this machine; only ratios compare between machines, and other versions of V8 give others.

import { ChatEventStream, ToolCallStream, UniqueToolCallIdStream } from "toolcall-stream";
import { BODIES, CHUNKINGS } from "./bodies.js";
import { FloorStream } from "./floor.js";
import { median, readThrough } from "./read.js";

const WARM_UP_ROUNDS = 2;
const MIN_ROUNDS = 7;
const MAX_ROUNDS = 40;
/** For one body and chunking, all contenders together. */
const BUDGET_MS = 3500;

const CONTENDERS = {
  floor: () => new FloorStream(),
  ToolCallStream: () => new ToolCallStream(),
  ChatEventStream: () => new ChatEventStream(),
  UniqueToolCallIdStream: () => new UniqueToolCallIdStream(),
};

const OURS = /** @type {const} */ (["ToolCallStream", "ChatEventStream", "UniqueToolCallIdStream"]);

/**
 * @param {import("./bodies.js").Body} body
 * @param {Uint8Array[]} chunks
 */
async function check({ calls, text }, chunks) {
  const stream = new ToolCallStream();
  const found = await readThrough(chunks, stream);
  const byIndex = found.slice().sort((a, b) => a.index - b.index);
  const isEqual =
    byIndex.length === calls.length &&
    byIndex.every((call, index) => call.arguments === calls[index]?.arguments) &&
    contentOf(await stream.completion) === text;
  const floor = await readThrough(chunks, new FloorStream());
  const isFloorEqual = floor.every((call, index) => call.arguments === calls[index]?.arguments);
  if (!isEqual || !isFloorEqual) throw new Error("A contender does not read what was generated");
}

/** @param {import("toolcall-stream").Completion} completion */
function contentOf(completion) {
  return (completion.dialect === "chat" && completion.message?.content) || "";
}

/**
 * @param {Uint8Array[]} chunks
 * @returns {Promise<Record<keyof typeof CONTENDERS, number>>} milliseconds
 */
async function round(chunks) {
  const times = { floor: 0, ToolCallStream: 0, ChatEventStream: 0, UniqueToolCallIdStream: 0 };
  for (const name of /** @type {(keyof typeof CONTENDERS)[]} */ (Object.keys(CONTENDERS))) {
    const start = performance.now();
    await readThrough(chunks, /** @type {TransformStream} */ (CONTENDERS[name]()));
    times[name] = performance.now() - start;
  }
  return times;
}

/** @param {Uint8Array[]} chunks */
async function measure(chunks) {
  for (let count = 0; count < WARM_UP_ROUNDS; count += 1) await round(chunks);
  const rounds = [];
  const end = performance.now() + BUDGET_MS;
  while (rounds.length < MIN_ROUNDS || (rounds.length < MAX_ROUNDS && performance.now() < end)) {
    rounds.push(await round(chunks));
  }
  return rounds;
}

const only = process.argv[2];
console.log(`Node ${process.version}. Ratios to the floor; less is faster.\n`);
console.log(`| body | chunks | floor, ns/event | ${OURS.join(" | ")} |`);
console.log(`| --- | --- | ---: |${" ---: |".repeat(OURS.length)}`);
for (const [bodyName, makeBody] of Object.entries(BODIES)) {
  if (only !== undefined && only !== bodyName) continue;
  const body = makeBody();
  for (const [chunking, cut] of Object.entries(CHUNKINGS)) {
    // A byte at a time, 50,000 events or 2 MB tell no more than 500 events do.
    if (chunking === "1-17 B" && bodyName !== "typical") continue;
    const chunks = cut(body.events);
    await check(body, chunks);
    const rounds = await measure(chunks);
    const floor = (median(rounds.map((times) => times.floor)) * 1e6) / body.events.length;
    const ratios = OURS.map((name) =>
      median(rounds.map((times) => times[name] / times.floor)).toFixed(2),
    );
    console.log(`| ${bodyName} | ${chunking} | ${floor.toFixed(0)} | ${ratios.join(" | ")} |`);
  }
}
