import { readFileSync } from "node:fs";

/**
 * What the tests did on one runtime.
 *
 * @typedef {object} Report
 * @property {string[]} agents what ran them, as it names itself
 * @property {Map<string, Set<string>>} tests their names, by file
 * @property {number} passed
 * @property {number} failed
 * @property {number} skipped
 */

/**
 * Reads what vitest's JSON reporter has written.
 *
 * @param {string} path
 * @returns {Report}
 */
export function readReport(path) {
  const { testResults } = JSON.parse(readFileSync(path, "utf8"));
  /** @type {Set<string>} */
  const agents = new Set();
  /** @type {Report["tests"]} */
  const tests = new Map();
  const counts = { passed: 0, failed: 0, skipped: 0 };
  for (const { name: file, assertionResults } of testResults) {
    const names = new Set();
    for (const { fullName, status, meta } of assertionResults) {
      names.add(fullName);
      if (status === "passed") {
        counts.passed += 1;
        agents.add(meta.runtime);
      } else if (status === "failed") counts.failed += 1;
      else counts.skipped += 1;
    }
    tests.set(file, names);
  }
  return { agents: [...agents], tests, ...counts };
}

/**
 * How many tests of each file ran elsewhere, but not here.
 *
 * @param {Report} here
 * @param {readonly Report[]} everywhere
 * @returns {Map<string, number>}
 */
export function countMissing(here, everywhere) {
  /** @type {Report["tests"]} */
  const missing = new Map();
  for (const { tests } of everywhere) {
    for (const [file, names] of tests) {
      for (const name of names) {
        if (here.tests.get(file)?.has(name)) continue;
        missing.set(file, (missing.get(file) ?? new Set()).add(name));
      }
    }
  }
  return new Map([...missing].map(([file, names]) => [file, names.size]));
}

/**
 * A table in Markdown: the first two columns are text, the others numbers.
 *
 * @param {readonly string[]} header
 * @param {readonly (readonly string[])[]} rows
 */
export function formatTable(header, rows) {
  const lines = [header, ...rows];
  const widths = header.map((_, i) => Math.max(...lines.map((line) => line[i]?.length ?? 0)));
  const rule = widths.map((width, i) => (i < 2 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`));
  return [header, rule, ...rows]
    .map((line) =>
      line.map((cell, i) => (i < 2 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0))),
    )
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}
