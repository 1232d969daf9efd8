// @ts-check
// What a fresh process pays: for the import, and for its first response of 2,000 tokens. Command lines,
// tests and new isolates never get warm. `npm run bench:cold`.
//
// Method: each figure is the processor time of a process of its own, threads of the compiler included;
// the contenders take turns, and the ratio to the floor is taken in each turn. Medians.
//
// Threats: a process on another machine has other caches; only ratios compare.

import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { median } from "./read.js";

const ROUNDS = 15;
const CHILD = fileURLToPath(new URL("cold-child.js", import.meta.url));

/** @param {...string} args @returns {number} milliseconds */
const run = (...args) =>
  Number(execFileSync(process.execPath, [CHILD, ...args], { encoding: "utf8" }));

/** @param {string} contender @param {string[]} args */
function ratioOf(contender, args) {
  const ratios = [];
  const floors = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const floor = run("floor", ...args);
    floors.push(floor);
    ratios.push(run(contender, ...args) / floor);
  }
  return { ratio: median(ratios), floor: median(floors) };
}

console.log(`Node ${process.version}. Medians of ${ROUNDS} processes.\n`);
const parser = median(Array.from({ length: ROUNDS }, () => run("import", "eventsource-parser")));
const ours = median(Array.from({ length: ROUNDS }, () => run("import", "toolcall-stream")));
console.log(`The import: ${ours.toFixed(1)} ms (eventsource-parser: ${parser.toFixed(1)} ms)\n`);
console.log("| the first response | floor, ms | ToolCallStream | UniqueToolCallIdStream |");
console.log("| --- | ---: | ---: | ---: |");
for (const dialect of ["chat", "messages", "responses"]) {
  const reading = ratioOf("ToolCallStream", [dialect]);
  const wire = ratioOf("UniqueToolCallIdStream", [dialect]);
  const cells = [reading.floor.toFixed(1), reading.ratio.toFixed(2), wire.ratio.toFixed(2)];
  console.log(`| ${dialect} | ${cells.join(" | ")} |`);
}
