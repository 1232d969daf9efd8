// @ts-check
// Live heap: `npm run bench:memory` (needs --expose-gc). Over 10,000 responses in one process it is
// flat; while a call of 2 MB is open, it is at most four times its bytes.

import { ToolCallStream } from "toolcall-stream";
import { BODIES, bodyOfLength, CHUNKINGS } from "./bodies.js";
import { readThrough } from "./read.js";

const RESPONSES = 10_000;
const MAX_GROWTH = 2 * 1024 * 1024;
const MAX_RATIO = 4;
const CALL_LENGTH = 2_000_000;

const { gc } = globalThis;
const cut = CHUNKINGS["1.4 KB"];
if (gc === undefined || cut === undefined) throw new Error("Run with node --expose-gc");

function liveHeap() {
  gc?.();
  gc?.();
  return process.memoryUsage().heapUsed;
}

const typical = cut(BODIES.typical().events.slice(-60));
for (let count = 0; count < RESPONSES / 10; count += 1) {
  await readThrough(typical, new ToolCallStream());
}
const before = liveHeap();
for (let count = 0; count < RESPONSES; count += 1) {
  await readThrough(typical, new ToolCallStream());
}
const growth = liveHeap() - before;
console.log(`${RESPONSES} responses: live heap grew by ${(growth / 1024).toFixed(0)} KB`);
if (growth > MAX_GROWTH) process.exitCode = 1;

for (const [name, isWhole] of /** @type {const} */ ([
  ["in fragments of a token", false],
  ["in one event", true],
])) {
  const chunks = cut(bodyOfLength(CALL_LENGTH, isWhole).events);
  // What made the chunks is garbage only when its turn of the event loop is over.
  await new Promise((resolve) => setImmediate(resolve));
  const ratio = (await peakWhileOpen(chunks)) / CALL_LENGTH;
  console.log(`an open call of 2 MB ${name}: ${ratio.toFixed(2)} times its bytes`);
  if (ratio > MAX_RATIO) process.exitCode = 1;
}

/**
 * How far the live heap grows while the chunks are read, up to the last ones, which end the call.
 *
 * @param {Uint8Array[]} chunks
 */
async function peakWhileOpen(chunks) {
  const stream = new ToolCallStream();
  const writer = stream.writable.getWriter();
  const read = stream.readable.getReader().read();
  // What was live before may be freed meanwhile, so the least that was seen is what counts as empty.
  const heaps = [liveHeap()];
  for (const [position, chunk] of chunks.slice(0, -10).entries()) {
    await writer.write(chunk);
    if (position % 2000 === 0) heaps.push(liveHeap());
  }
  heaps.push(liveHeap());
  await writer.abort();
  await read.catch(() => {});
  return Math.max(...heaps) - Math.min(...heaps);
}
