// Runs the tests on every runtime, or on those that are named: `npm run test:runtimes -- deno bun`.
//
// Each test says what ran it, and every runtime must have run the same tests, less those that
// node-only.json names with a reason: one that differs has failed.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join, relative } from "node:path";
import { installPackages } from "../install.js";
import { countMissing, formatTable, readReport } from "./report.js";
import { FOLDER, RUNTIMES } from "./runtimes.js";

/** @import { Runtime } from "./runtimes.js" */
/** @import { Report } from "./report.js" */
/** @typedef {{ runtime: Runtime, report: Report, version: string, seconds: number, faults: string[] }} Run */

const ROOT = dirname(dirname(FOLDER));

/** Far more than the slowest takes. */
const TIMEOUT_MS = 10 * 60 * 1000;

/** The same cases everywhere, and few of them: `npm test` tries more. */
const PROPERTIES = { PROPERTY_RUNS: "100", PROPERTY_SEED: `${Date.now() % 2 ** 31}` };

/** @type {Record<string, string>} */
const NODE_ONLY = JSON.parse(readFileSync(join(FOLDER, "node-only.json"), "utf8"));

await main(process.argv.slice(2));

/** @param {readonly string[]} names */
async function main(names) {
  const faults = installPackages(FOLDER) ? await runAll(names) : ["npm ci has failed"];
  for (const fault of faults) console.error(fault);
  process.exitCode = faults.length > 0 ? 1 : 0;
}

/**
 * @param {readonly string[]} named
 * @returns {Promise<string[]>} what was wrong
 */
async function runAll(named) {
  const names = named.length > 0 ? named : Object.keys(RUNTIMES);
  const known = Object.keys(RUNTIMES).join(", ");
  /** @type {string[]} */
  const faults = [];
  /** @type {Run[]} */
  const runs = [];
  const unknown = names.filter((name) => !(name in RUNTIMES));
  if (unknown.length > 0) return [`Cannot run ${unknown.join(", ")}: the runtimes are ${known}`];
  for (const name of names) {
    const runtime = /** @type {Runtime} */ (RUNTIMES[name]);
    const absence = runtime.absence?.();
    if (absence === undefined) {
      console.log(`Running the tests on ${name}`);
      runs.push(await runOn(runtime));
    } else if (process.env["CI"]) faults.push(`${name}: ${absence}`);
    else console.log(`Leaving out ${name}: ${absence}`);
  }

  const explained = compare(runs);
  printTable(runs);
  for (const [file, count] of explained) {
    console.log(`On Node only: ${file} (${count} tests) ${NODE_ONLY[file]}`);
  }
  for (const file of Object.keys(NODE_ONLY)) {
    if (!existsSync(join(ROOT, file))) faults.push(`node-only.json names ${file}: it is not there`);
  }
  for (const run of runs) {
    faults.push(...run.faults.map((fault) => `${run.runtime.title} ${run.version}: ${fault}`));
  }
  return faults;
}

/**
 * @param {Runtime} runtime
 * @returns {Promise<Run>}
 */
async function runOn(runtime) {
  const folder = mkdtempSync(join(tmpdir(), "toolcall-stream-"));
  const path = join(folder, "report.json");
  const started = Date.now();
  const { code, output } = await runVitest(runtime, path);
  const seconds = (Date.now() - started) / 1000;
  const report = existsSync(path)
    ? readReport(path)
    : { agents: [], tests: new Map(), passed: 0, failed: 0, skipped: 0 };
  rmSync(folder, { recursive: true });

  const faults = code === 0 ? [] : [`vitest ended with ${code}`];
  if (report.passed === 0) faults.push("no test has passed");
  let version = "?";
  for (const agent of report.agents) {
    const match = runtime.agent.exec(agent);
    if (match === null) faults.push(`its tests ran on "${agent}"`);
    else version = match[1] ?? runtime.version?.() ?? version;
  }
  // A difference of two bodies can make a line of megabytes.
  if (faults.length > 0) console.log(output.replaceAll(/^(.{500}).+/gm, "$1…"));
  return { runtime, report, version, seconds, faults };
}

/**
 * @param {Runtime} runtime
 * @param {string} report where to write it
 * @returns {Promise<{ code: number | string | null, output: string }>}
 */
function runVitest({ command: [program = "", ...options], config }, report) {
  const args = [
    ...options,
    join(ROOT, "node_modules/vitest/vitest.mjs"),
    "run",
    `--config=${join(FOLDER, `${config}.config.ts`)}`,
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${report}`,
  ];
  // A test that starts `node` gets the one that runs it.
  const path = [dirname(program), process.env["PATH"]].join(delimiter);
  const child = spawn(program, args, {
    cwd: ROOT,
    env: { ...PROPERTIES, ...process.env, PATH: path },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: TIMEOUT_MS,
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text) => {
      output += text;
    });
  }
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => resolve({ code: code ?? signal, output }));
  });
}

/**
 * Adds a fault where tests are missing without a reason.
 *
 * @param {readonly Run[]} runs
 * @returns {Map<string, number>} where they are missing with one
 */
function compare(runs) {
  /** @type {Map<string, number>} */
  const explained = new Map();
  const reports = runs.map(({ report }) => report);
  for (const run of runs) {
    for (const [file, count] of countMissing(run.report, reports)) {
      const name = relative(ROOT, file);
      if (name in NODE_ONLY && !run.runtime.isNode) explained.set(name, count);
      else run.faults.push(`${count} tests of ${name} have not run`);
    }
  }
  return explained;
}

/** @param {readonly Run[]} runs */
function printTable(runs) {
  const rows = runs.map(({ runtime, version, report: { passed, failed, skipped }, seconds }) => [
    runtime.title,
    version,
    ...[passed, failed, skipped, seconds.toFixed(1)].map(String),
  ]);
  const header = ["Runtime", "Version", "Passed", "Failed", "Skipped", "Seconds"];
  console.log(`\n${formatTable(header, rows)}\n`);

  const sum = (/** @type {"passed" | "failed" | "skipped"} */ key) =>
    runs.reduce((total, { report }) => total + report[key], 0);
  console.log(`${sum("passed")} passed, ${sum("failed")} failed, ${sum("skipped")} skipped\n`);
}
