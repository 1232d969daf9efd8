// A coding agent, headless, with a home and a folder of its own. Its tool is its own shell.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { FINAL_TEXT } from "../scenarios.js";

/** @import { Asked } from "../scenarios.js" */
/** @import { Client, Run } from "../child.js" */

/** Every city that was looked up is a line of it. */
const LOG = "looked-up.txt";

const AGENTS = new URL("../agents/", import.meta.url);

/**
 * How an agent is started.
 *
 * @typedef {object} Start
 * @property {string} command
 * @property {string[]} args
 * @property {Record<string, string>} env
 */

/**
 * @typedef {object} Place
 * @property {string} url of the server, without a version
 * @property {string} home an empty folder
 * @property {string} work another one, in which it works
 * @property {(path: string) => string} installed the path of a file that was installed with it
 */

/**
 * @typedef {object} Agent
 * @property {string} name
 * @property {string} folder of `agents/`
 * @property {string} version
 * @property {Client["dialect"]} dialect
 * @property {Client["without"]} without
 * @property {string} tool its shell
 * @property {(command: string) => Record<string, string>} inputOf what its shell is asked
 * @property {(prompt: string, place: Place) => Start} start
 * @property {(place: Place) => number} [repairs] how often it says that it has mended its history
 * @property {true} [losesOutput] whether its shell gives an empty output now and then, whatever the ids
 */

/** The shell command for a city, which also says what the result has to be. @param {string} city */
const commandFor = (city) =>
  `echo ${city} >> ${LOG}; echo ${city} report $(grep -c ${city} ${LOG})`;

/** @param {Agent} agent @returns {Client} */
export function clientOf({ name, folder, version, dialect, without, tool, inputOf, ...agent }) {
  const { losesOutput } = agent;
  return {
    name,
    dialect,
    packages: [],
    versions: version,
    without,
    takesNoFetch: true,
    isAgent: true,
    ...(losesOutput && { losesOutput }),
    asks: (city) => ({ name: tool, input: inputOf(commandFor(city)) }),
    run: (run) => runAgent(run, folder, agent),
  };
}

/**
 * @param {Run} run
 * @param {string} folder
 * @param {Pick<Agent, "start" | "repairs">} agent
 */
async function runAgent({ baseURL, users, lookUp, report }, folder, { start, repairs }) {
  const root = mkdtempSync(join(tmpdir(), "agent-"));
  const [home, work] = [join(root, "home"), join(root, "work")];
  mkdirSync(home);
  mkdirSync(work);
  const place = {
    url: baseURL.replace(/\/v1$/, ""),
    home,
    work,
    installed: (/** @type {string} */ path) => fileURLToPath(new URL(`${folder}/${path}`, AGENTS)),
  };
  try {
    const { command, args, env } = start(users[0] ?? "", place);
    const path = `${dirname(process.execPath)}:${process.env["PATH"]}`;
    const agent = spawn(command, args, {
      cwd: work,
      env: { PATH: path, HOME: home, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const kill = () => agent.kill("SIGKILL");
    process.once("exit", kill);
    const [stdout, stderr, [code]] = await Promise.all([
      text(agent.stdout),
      text(agent.stderr),
      once(agent, "close"),
    ]);
    process.off("exit", kill);
    const log = join(work, LOG);
    if (existsSync(log)) readFileSync(log, "utf8").trim().split("\n").forEach(lookUp);
    report({ repairs: repairs?.(place) ?? 0 });
    if (stdout.includes(FINAL_TEXT)) return FINAL_TEXT;
    throw new Error(`It ended with ${code}: ${(stderr || stdout).slice(-400)}`);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

/** @param {string} command with a `{"input":…}` of its own @returns {Asked["input"]} */
export const asCommand = (command) => ({ command });
