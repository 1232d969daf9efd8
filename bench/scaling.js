// @ts-check
// Whether ten times the arguments cost about ten times as much. Prints the factors, and exits with 1
// beyond the bound: nothing here is quadratic by a little.

import { ToolCallStream } from "toolcall-stream";
import { bodyOfLength, CHUNKINGS } from "./bodies.js";
import { median, readThrough } from "./read.js";

const MAX_FACTOR = 12;
const ROUNDS = 7;
const cut = CHUNKINGS["1.4 KB"];
if (cut === undefined) throw new Error("There is no chunking of 1.4 KB");

/**
 * @param {Uint8Array[]} chunks
 * @returns {Promise<number>} milliseconds
 */
async function time(chunks) {
  const start = performance.now();
  await readThrough(chunks, new ToolCallStream());
  return performance.now() - start;
}

const cases = {
  "arguments in fragments of a token, 100 KB and 1 MB": [100_000, 1_000_000, false],
  "one event, 200 KB and 2 MB": [200_000, 2_000_000, true],
};
for (const [name, [less, more, isWhole]] of Object.entries(cases)) {
  const small = cut(bodyOfLength(Number(less), Boolean(isWhole)).events);
  const large = cut(bodyOfLength(Number(more), Boolean(isWhole)).events);
  const factors = [];
  await time(small);
  for (let count = 0; count < ROUNDS; count += 1) {
    // Ten small ones take as long as a large one, so that both see the same machine.
    const times = [];
    for (let repeat = 0; repeat < 10; repeat += 1) times.push(await time(small));
    factors.push((await time(large)) / median(times));
  }
  const factor = median(factors);
  console.log(`${name}: ${factor.toFixed(1)} times as long (at most ${MAX_FACTOR})`);
  if (factor > MAX_FACTOR) process.exitCode = 1;
}
