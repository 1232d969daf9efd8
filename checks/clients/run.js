// Runs the tool loops of real clients against a server that repeats its ids: as they are, with the
// fetch of ours, and through the proxy: `npm run test:clients`. What breaks as it is stands in
// recorded.json: were nothing to break there, this would test nothing.
//
//   node checks/clients/run.js [names…] [--some] [--record] [--table]
//
// They need a newer Node than we do, so it comes with them where the one that runs this is too old.

import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { isDeepStrictEqual, parseArgs } from "node:util";
import { findNode, installPackages } from "../install.js";
import { checkJudge } from "./judge.check.js";
import { tableOf } from "./table.js";

/** @import { Outcome, Way } from "./child.js" */

/**
 * What a client made of it in one way.
 *
 * @typedef {object} Report
 * @property {string} name
 * @property {string} dialect
 * @property {string[]} packages
 * @property {string} [versions]
 * @property {Record<string, Outcome>} outcomes
 * @property {string[]} errors
 */

/** @typedef {Record<string, { dialect: string, plain: Record<string, Outcome> }>} Recorded */

const FOLDER = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(dirname(FOLDER));
/** Each agent is installed by itself: none meets the dependencies of another. */
const AGENTS = join(FOLDER, "agents");
const RECORDED = join(FOLDER, "recorded.json");

/** What the `openai` package asks for. */
const LOWEST_NODE = 22;

const WORKERS = 2;
/** For all scenarios of a client, should it fail in a way that its own timeouts do not see. */
const TIMEOUT_MS = 240_000;

const AGENT_TIMEOUT_MS = 600_000;

/** Before a command: it then sees no network but a loopback of its own. */
const ALONE = ["unshare", "-n", "sh", "-c", 'ip link set lo up && exec "$@"', "sh"];

/** @type {Way[]} */
const WAYS = ["plain", "ideal", "wrapper", "proxy"];

/** One for each dialect that nothing breaks, to go with those that break. */
const UNHARMED = new Set(["anthropic-threads", "openai-previous-response", "openai-run-tools"]);

process.exitCode = await main();

/** @returns {Promise<number>} the code to exit with */
async function main() {
  const { values: options, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      some: { type: "boolean" },
      record: { type: "boolean" },
      table: { type: "boolean" },
    },
  });
  const wrong = checkJudge();
  if (wrong.length > 0) return fail(wrong);
  if (!installPackages(FOLDER)) return fail(["npm ci has failed"]);
  const node = findNode(FOLDER, LOWEST_NODE);
  if (node === undefined) return fail([`Cannot run the clients: they need Node ${LOWEST_NODE}`]);
  const build = spawnSync("npm", ["run", "--silent", "build"], { cwd: ROOT, stdio: "inherit" });
  if (build.status !== 0) return fail(["npm run build has failed"]);

  /** @type {Recorded} */
  const recorded = JSON.parse(readFileSync(RECORDED, "utf8"));
  const files = readdirSync(join(FOLDER, "loops")).map((file) => file.replace(/\.js$/, ""));
  // What people use comes first.
  const isProgram = (/** @type {string} */ name) => isAgent(name) || name === "codex";
  const all = [...files.filter(isProgram), ...files.filter((name) => !isProgram(name))];
  const unknown = positionals.filter((name) => !all.includes(name));
  if (unknown.length > 0) return fail([`There is no ${unknown.join(", ")}, but ${all.join(", ")}`]);
  const names = all.filter((name) =>
    options.some
      ? isOfSome(name, recorded)
      : positionals.length === 0 || positionals.includes(name),
  );

  for (const name of names.filter(isAgent)) {
    if (!installPackages(join(AGENTS, name))) return fail([`npm ci has failed for ${name}`]);
  }
  if (names.some(isAgent) && !canIsolate()) {
    console.error("No network of their own is allowed here: the agents see that of this machine");
  }

  const reports = await runAll(names, node, (name, way, { errors, outcomes }) => {
    const faults = way === "plain" ? errors : [...errors, ...faultsOf(outcomes)];
    if (!options.table) console.log(`${faults.length > 0 ? "✗" : "✓"} ${name}, ${way}`);
    for (const fault of faults) console.error(`  ${fault}`);
  });
  const { dependencies } = JSON.parse(readFileSync(join(FOLDER, "package.json"), "utf8"));
  const table = tableOf(names.map((name) => rowOf(reports, name, dependencies)));
  console.log(table);

  const isBroken = [...reports.values()].some(({ errors }) => errors.length > 0);
  if (options.record) record(names, reports, recorded);
  const changed = options.record ? [] : names.flatMap((name) => changesOf(reports, name, recorded));
  const isAll = names.length === all.length;
  const isSaid = !isAll || readFileSync(join(ROOT, "docs/wire.md"), "utf8").includes(table);
  const ours = WAYS.slice(1).flatMap((way) =>
    names.filter((name) => faultsOf(reports.get(`${name} ${way}`)?.outcomes ?? {}).length > 0),
  );
  if (!isBroken && isSaid && changed.length === 0 && ours.length === 0) return 0;
  return fail([
    ...changed,
    ...(isSaid ? [] : ["docs/wire.md has another table"]),
    ...(isBroken ? ["Not all has run, see above"] : []),
    ...(ours.length > 0 ? ["Not all is well with our ids, see above"] : []),
  ]);
}

/** @param {string} name */
function isAgent(name) {
  return existsSync(join(AGENTS, name));
}

function canIsolate() {
  const [command = "", ...args] = ALONE;
  return spawnSync(command, [...args, "true"]).status === 0;
}

/** @param {string} name @param {Recorded} recorded */
function isOfSome(name, recorded) {
  // The other agents take minutes, and hundreds of megabytes.
  if (isAgent(name)) return name === "claude-code";
  const outcomes = recorded[name]?.plain;
  return outcomes === undefined || UNHARMED.has(name) || faultsOf(outcomes).length > 0;
}

/**
 * @param {string[]} names
 * @param {string} node
 * @param {(name: string, way: Way, report: Report) => void} tell
 * @returns {Promise<Map<string, Report>>}
 */
async function runAll(names, node, tell) {
  const jobs = names.flatMap((name) => WAYS.map((way) => ({ name, way })));
  /** @type {Map<string, Report>} */
  const reports = new Map();
  const work = async () => {
    for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
      const { name, way } = job;
      const report = await runClient(name, way, node);
      if (report === undefined) continue;
      reports.set(`${name} ${way}`, report);
      tell(name, way, report);
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  return reports;
}

/**
 * @param {string} name
 * @param {Way} way
 * @param {string} node
 * @returns {Promise<Report | undefined>} nothing where the client cannot go that way
 */
function runClient(name, way, node) {
  const home = mkdtempSync(join(tmpdir(), "clients-"));
  return new Promise((resolve) => {
    // Without the keys of whoever runs this, and what their settings turn on.
    const args = [join(FOLDER, "child.js"), name, way];
    const isolated = isAgent(name) && canIsolate();
    const [command, ...rest] = isolated ? [...ALONE, node, ...args] : [node, ...args];
    const child = spawn(command ?? node, rest, {
      env: { PATH: process.env["PATH"], HOME: home },
      stdio: ["inherit", "inherit", "inherit", "ipc"],
      timeout: isAgent(name) ? AGENT_TIMEOUT_MS : TIMEOUT_MS,
    });
    /** @type {any} */
    let message;
    child.on("message", (sent) => {
      message = sent;
    });
    child.on("close", (code, signal) => {
      rmSync(home, { recursive: true, force: true });
      if (message?.isSkipped) return resolve(undefined);
      const errors = [
        ...(message === undefined ? [`It ended with ${signal ?? code} and said nothing`] : []),
        ...(message?.isStopped === false ? ["The proxy did not stop"] : []),
      ];
      resolve({ name, dialect: "", packages: [], outcomes: {}, ...message, errors });
    });
  });
}

/** @param {Record<string, Outcome>} outcomes @returns {string[]} */
function faultsOf(outcomes) {
  return Object.entries(outcomes)
    .filter(
      ([, { ran, expected, faults, error, repairs = 0 }]) =>
        ran !== expected || Object.keys(faults).length > 0 || error !== null || repairs > 0,
    )
    .map(([title, outcome]) => `${title}: ${JSON.stringify(outcome)}`);
}

/**
 * @param {Map<string, Report>} reports
 * @param {string} name
 * @param {Record<string, string>} dependencies
 */
function rowOf(reports, name, dependencies) {
  const [report] = WAYS.flatMap((way) => reports.get(`${name} ${way}`) ?? []);
  const packages = report?.packages ?? [];
  return {
    name: report?.name ?? name,
    versions:
      report?.versions ?? packages.map((title) => `${title} ${dependencies[title]}`).join(", "),
    dialect: report?.dialect ?? "",
    ways: WAYS.map((way) => reports.get(`${name} ${way}`)?.outcomes),
  };
}

/** @param {Map<string, Report>} reports @param {string} name @param {Recorded} recorded */
function changesOf(reports, name, recorded) {
  const now = reports.get(`${name} plain`)?.outcomes;
  const before = recorded[name]?.plain;
  if (isDeepStrictEqual(now, before)) return [];
  return [
    `What ${name} does without our ids has changed, which --record would write:`,
    `  before ${JSON.stringify(before)}`,
    `  now    ${JSON.stringify(now)}`,
  ];
}

/** @param {string[]} names @param {Map<string, Report>} reports @param {Recorded} recorded */
function record(names, reports, recorded) {
  for (const name of names) {
    const report = reports.get(`${name} plain`);
    if (report?.errors.length === 0)
      recorded[name] = { dialect: report.dialect, plain: report.outcomes };
  }
  const sorted = Object.fromEntries(Object.entries(recorded).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(RECORDED, `${JSON.stringify(sorted, null, 2)}\n`);
}

/** @param {string[]} faults */
function fail(faults) {
  for (const fault of faults) console.error(fault);
  return 1;
}
