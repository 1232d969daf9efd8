// @ts-check
// How much later an event arrives through the proxy, and what 100 streams at once cost it:
// `npm run bench:proxy`.
//
// Method: the server, a bare proxy that only pipes (`node:http`), ours and the client are a process
// each. The server sends an event every other millisecond, each with the time of a clock that the
// processes of a machine share; the client subtracts. Direct, bare and ours take turns in rounds, and
// the quantiles are over the events of all rounds; a round to warm up is not counted. What is added is
// the difference of two quantiles, not a quantile of differences. Memory is that of the proxy's
// process, its heap after two collections.
//
// Threats: loopback has no loss and no distance. The processes share the processor: where it has fewer
// cores than they are, each delay holds waits for a core, ours too. The clock is the system's
// monotonic one; systems other than Linux may start it with the process, and the table is then
// nonsense. RSS depends on when the engine gives pages back.

import { startParts } from "./proxy/parts.js";
import { read } from "./proxy/client.js";

const ROUNDS = 6;
const EVENTS = 500;
const STREAMS = 100;
const EVENTS_OF_STREAM = 1000;

/** @param {number[]} sorted @param {number} share */
function quantile(sorted, share) {
  return sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
}

/** @param {Record<string, string>} urls @returns {Promise<Record<string, number[]>>} sorted */
async function measureDelays(urls) {
  /** @type {Record<string, number[]>} */
  const delays = Object.fromEntries(Object.keys(urls).map((name) => [name, []]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const [name, url] of Object.entries(urls)) {
      const found = await read(url, EVENTS);
      if (round > 0) delays[name]?.push(...found);
    }
  }
  for (const each of Object.values(delays)) each.sort((a, b) => a - b);
  return delays;
}

/** @param {Record<string, number[]>} delays */
function printDelays(delays) {
  const direct = delays["direct"] ?? [];
  console.log("| way | median | p99 | added, median | added, p99 |");
  console.log("| --- | ---: | ---: | ---: | ---: |");
  for (const [name, each] of Object.entries(delays)) {
    const cells = [0.5, 0.99].map((share) => quantile(each, share));
    const added = [0.5, 0.99].map((share) => quantile(each, share) - quantile(direct, share));
    const texts = [...cells, ...added].map((micros) => `${micros.toFixed(0)} µs`);
    console.log(`| ${name} | ${texts.join(" | ")} |`);
  }
}

/** @param {string} url @param {() => Promise<NodeJS.MemoryUsage>} memory */
async function measureMemory(url, memory) {
  const wave = (/** @type {() => void} */ onEvent) =>
    Promise.all(Array.from({ length: STREAMS }, () => read(url, EVENTS_OF_STREAM, onEvent)));
  await wave(() => {});
  const before = await memory();
  let count = 0;
  /** @type {Promise<NodeJS.MemoryUsage> | undefined} */
  let middle;
  await wave(() => {
    count += 1;
    if (count === (STREAMS * EVENTS_OF_STREAM) / 2) middle = memory();
  });
  return { before, "in the middle": await middle, after: await memory() };
}

const parts = await startParts();
try {
  console.log(`Node ${process.version}, ${ROUNDS * EVENTS} events each way.\n`);
  printDelays(await measureDelays(parts.urls));

  console.log(
    `\n${STREAMS} streams of ${EVENTS_OF_STREAM} events at once, after as many before:\n`,
  );
  console.log("| when | heap | RSS |");
  console.log("| --- | ---: | ---: |");
  const memory = await measureMemory(parts.urls["this proxy"] ?? "", parts.memory);
  for (const [when, usage] of Object.entries(memory)) {
    const sizes = [usage?.heapUsed ?? 0, usage?.rss ?? 0].map((size) =>
      (size / 2 ** 20).toFixed(1),
    );
    console.log(`| ${when} | ${sizes.join(" MB | ")} MB |`);
  }
} finally {
  parts.stop();
}
