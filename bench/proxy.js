// @ts-check
// What the proxy costs beside the least that a proxy can be: `npm run bench:proxy`.
//
// Method: the server, a bare pass-through (`node:http` that pipes both ways), ours and the client are a
// process each. Bare and ours take turns in rounds; a round to warm up is not counted, and each figure is
// the median of the rounds. The server writes the time into each event, by a clock that the processes of a
// machine share; the client subtracts. CPU is what the process of the proxy says it has used. Memory is
// the resident size of a process that has had nothing to do before.
//
// Threats: loopback has no loss and no distance. The processes share the processor: where it has fewer
// cores than they are, each delay holds waits for a core, ours too. The clock is the system's
// monotonic one; systems other than Linux may start it with the process, and the table is then
// nonsense. Resident memory depends on when the engine gives pages back.

import { fileURLToPath } from "node:url";
import { findNode } from "../checks/install.js";
import { startBare, startOurs, startServer } from "./proxy/parts.js";
import { read, send } from "./proxy/client.js";

/** @import { Part } from "./proxy/parts.js" */

const ROUNDS = 5;
const STREAMS = 100;
const EVENTS = 100;
const GAP_MS = 25;
const MANY_STREAMS = 1000;
const MEGABYTE = 1_000_000;

const LOWEST_NODE = 24;
const runtimes = fileURLToPath(new URL("../checks/runtimes", import.meta.url));
const node = findNode(runtimes, LOWEST_NODE) ?? process.execPath;

/** @param {number[]} values @param {number} share */
function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}

/** @param {number[]} values */
const median = (values) => quantile(values, 0.5);

/**
 * Bare and ours in turns.
 *
 * @param {Record<"bare" | "ours", Part>} parts
 * @param {(part: Part) => Promise<Record<string, number>>} measure
 * @returns {Promise<Record<string, { bare: number, ours: number }>>} the median of each figure
 */
async function compare(parts, measure) {
  /** @type {Record<string, { bare: number[], ours: number[] }>} */
  const rounds = {};
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const name of /** @type {const} */ (["bare", "ours"])) {
      const figures = await measure(parts[name]);
      if (round === 0) continue;
      for (const [figure, value] of Object.entries(figures)) {
        rounds[figure] ??= { bare: [], ours: [] };
        rounds[figure][name].push(value);
      }
    }
  }
  return Object.fromEntries(
    Object.entries(rounds).map(([figure, { bare, ours }]) => [
      figure,
      { bare: median(bare), ours: median(ours) },
    ]),
  );
}

/** Many streams of small events at once. @param {Part} part */
async function measureEvents(part) {
  const before = await part.usage();
  const streams = Array.from({ length: STREAMS }, () => read(part.url, EVENTS, GAP_MS));
  const delays = (await Promise.all(streams)).flat();
  const { cpu } = await part.usage();
  const used = cpu.user + cpu.system - before.cpu.user - before.cpu.system;
  return { "CPU per event, µs": used / delays.length, "lag among 100 streams, µs": median(delays) };
}

/** One stream of events. @param {Part} part */
async function measureLag(part) {
  const delays = await read(part.url, 500, 2);
  return { "lag of one stream, µs": median(delays), "the same, p99": quantile(delays, 0.99) };
}

/** One stream, while others send what is not read. @param {Part} part */
async function measureBesideBodies(part) {
  const texts = Array.from({ length: 1000 }, (_, index) => `${index} `.padEnd(1000, "word "));
  const body = JSON.stringify({ model: "embed", input: texts });
  const over = new AbortController();
  const busy = (async () => {
    while (!over.signal.aborted) await send(part.url, "/v1/embeddings", body);
  })();
  const delays = await read(part.url, 500, 2);
  over.abort();
  await busy;
  return {
    "lag beside embeddings, mean": delays.reduce((sum, delay) => sum + delay, 0) / delays.length,
    "the same, p99": quantile(delays, 0.99),
  };
}

/** A long history. @param {Part} part */
async function measureRead(part) {
  const content = 'He said: "done".\n'.repeat(250);
  const messages = Array.from({ length: 500 }, (_, index) => {
    return { role: index % 2 === 0 ? "user" : "assistant", content };
  });
  const body = Buffer.from(JSON.stringify({ model: "kimi-k3", stream: true, messages }));
  const times = [];
  for (let count = 0; count < 5; count += 1) {
    times.push(await send(part.url, "/v1/chat/completions", body));
  }
  return { "request of 1 MB, ms per MB": median(times) / (body.length / MEGABYTE) };
}

/** @param {Part} part */
async function measureMemory(part) {
  let count = 0;
  /** @type {ReturnType<Part["usage"]> | undefined} */
  let middle;
  const onEvent = () => {
    count += 1;
    if (count === MANY_STREAMS * 5) middle = part.usage();
  };
  const streams = Array.from({ length: MANY_STREAMS }, () => read(part.url, 10, 300, onEvent));
  await Promise.all(streams);
  return ((await middle)?.memory.rss ?? Number.NaN) / 2 ** 20;
}

/** @param {string} figure @param {number} bare @param {number} ours */
function printRow(figure, bare, ours) {
  const cells = [bare, ours].map((value) => value.toFixed(value < 10 ? 2 : 0));
  console.log(`| ${[figure, ...cells, (ours / bare).toFixed(2)].join(" | ")} |`);
}

const server = await startServer(node);
/** @type {Part[]} */
const started = [server];
/** @param {typeof startBare} start */
async function startPart(start) {
  const part = await start(node, server.url);
  started.push(part);
  return part;
}
try {
  const { cpus } = await import("node:os");
  const { execFileSync } = await import("node:child_process");
  const version = `${execFileSync(node, ["--version"])}`.trim();
  console.log(`Node ${version} on ${cpus().length} cores, medians of ${ROUNDS} rounds in turns.\n`);
  console.log("| figure | bare | ours | ratio |");
  console.log("| --- | ---: | ---: | ---: |");
  const parts = { bare: await startPart(startBare), ours: await startPart(startOurs) };
  for (const measure of [measureEvents, measureLag, measureBesideBodies, measureRead]) {
    for (const [figure, { bare, ours }] of Object.entries(await compare(parts, measure))) {
      printRow(figure, bare, ours);
    }
  }
  /** @type {{ bare: number[], ours: number[] }} */
  const rounds = { bare: [], ours: [] };
  for (let round = 0; round < 3; round += 1) {
    rounds.bare.push(await measureMemory(await startPart(startBare)));
    rounds.ours.push(await measureMemory(await startPart(startOurs)));
  }
  printRow("RSS with 1,000 streams, MB", median(rounds.bare), median(rounds.ours));
} finally {
  for (const part of started) part.stop();
}
