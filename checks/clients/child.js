// Runs one client in one way, over all scenarios that it can play, and tells its parent what came
// out. A process of its own: some clients have settings that are global.

import { createInterface } from "node:readline";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { judge } from "./judge.js";
import { SCENARIOS, asksTool, createTool, scriptOf, FINAL_TEXT } from "./scenarios.js";
import { spawnNode } from "./processes.js";
import { startServer } from "./server.js";

/** @import { Asked, Scenario, ScenarioName } from "./scenarios.js" */
/** @import { Faults } from "./judge.js" */

/**
 * @typedef {object} Run
 * @property {string} baseURL it ends in the version
 * @property {typeof fetch} fetch
 * @property {string[]} users
 * @property {boolean} isStreamed
 * @property {(city: string) => string} lookUp
 * @property {string} conversation that the server knows
 * @property {(facts: { repairs: number }) => void} report
 */

/**
 * @typedef {object} Client
 * @property {string} name
 * @property {"chat" | "messages" | "responses"} dialect
 * @property {string[]} packages
 * @property {ScenarioName[]} without what it cannot play
 * @property {true} [takesNoFetch]
 * @property {true} [isAgent] whether it is a program of its own, which plays what agents play
 * @property {true} [losesOutput] whether some of its results are empty, whatever the ids
 * @property {string} [versions] where it is not among the packages
 * @property {(city: string) => Asked} [asks]
 * @property {(run: Run) => Promise<unknown>} run gives the text that it ends with
 */

/**
 * @typedef {object} Outcome of a scenario
 * @property {number} ran
 * @property {number} expected
 * @property {Faults} faults
 * @property {string | null} error
 * @property {number} [repairs] that an agent's own log tells
 */

/** @typedef {"plain" | "ideal" | "wrapper" | "proxy"} Way */

const DIST = new URL("../../dist/", import.meta.url);

/** The slowest takes two seconds on two cores. */
const SCENARIO_TIMEOUT_MS = 30_000;
const STOP_TIMEOUT_MS = 5000;

const nodeFetch = globalThis.fetch;

// It warns of every model that it does not know.
/** @type {any} */ (globalThis).AI_SDK_LOG_WARNINGS = false;

// The parent has waited long enough: what this one has started ends with it.
process.once("SIGTERM", () => process.exit(1));

const [file = "", way = ""] = process.argv.slice(2);
await main(file, /** @type {Way} */ (way));

/** @param {string} name @param {Way} asked */
async function main(name, asked) {
  /** @type {Client} */
  const client = (await import(`./loops/${name}.js`)).default;
  const isSkipped = client.isAgent ? asked === "wrapper" : asked === "ideal";
  if (isSkipped || (client.takesNoFetch && asked === "wrapper")) {
    end({ isSkipped: true });
    return;
  }
  const server = await startServer();
  const proxy = asked === "proxy" ? await startProxy(server.url) : undefined;
  /** @type {Record<string, Outcome>} */
  const outcomes = {};
  for (const [title, scenario] of Object.entries(SCENARIOS)) {
    if (client.without.includes(/** @type {ScenarioName} */ (title))) continue;
    if (scenario.isSplit && client.dialect !== "responses") continue;
    if (scenario.isOfAgents && !client.isAgent) continue;
    outcomes[title] = await play(client, scenario, asked, server, proxy?.url ?? server.url);
  }
  const isStopped = (await proxy?.stop()) ?? true;
  server.close();
  const { name: title, dialect, packages, versions } = client;
  end({ name: title, dialect, packages, versions, outcomes, isStopped });
}

/** @param {object} report */
function end(report) {
  process.send?.(report, () => process.exit());
}

/**
 * @param {Client} client
 * @param {Scenario} scenario
 * @param {Way} asked
 * @param {Awaited<ReturnType<typeof startServer>>} server
 * @param {string} url
 * @returns {Promise<Outcome>}
 */
async function play(client, scenario, asked, server, url) {
  const script = scriptOf(scenario.turns, client.asks ?? asksTool);
  const calls = script.flatMap((turn) => (typeof turn === "string" ? [] : turn));
  const { users, isStreamed } = scenario;
  const seen = server.play({ ...scenario, turns: script, isIdeal: asked === "ideal" });
  const conversation = `conv_${crypto.randomUUID()}`;
  server.hold(conversation);

  /** @type {string[]} */
  const ran = [];
  const lookUp = createTool(ran);
  const guard = createGuard();
  let repairs = 0;
  let wrapped = 0;
  /** @type {typeof globalThis.fetch} */
  let fetch = guard.fetch;
  if (asked === "wrapper") {
    const { uniqueToolCallIds } = await import(new URL("index.js", DIST).href);
    fetch = uniqueToolCallIds(guard.fetch);
  }
  // What a client reaches in another way than it was given is left to the guard.
  globalThis.fetch = /** @type {typeof globalThis.fetch} */ (guard.fetch);
  /** @type {typeof globalThis.fetch} */
  const counted = (...args) => {
    wrapped += 1;
    return fetch(...args);
  };

  /** @type {string[]} */
  const errors = [];
  try {
    const report = (/** @type {{ repairs: number }} */ facts) => {
      repairs = facts.repairs;
    };
    const run = {
      baseURL: `${url}/v1`,
      fetch: counted,
      users,
      isStreamed,
      lookUp,
      conversation,
      report,
    };
    const text = await Promise.race([client.run(run), rejectLate()]);
    if (text !== FINAL_TEXT) errors.push(`Ended with ${JSON.stringify(text)}`);
  } catch (error) {
    errors.push(String(error));
  }
  errors.push(...guard.refused, ...seen.errors);
  if (!client.takesNoFetch && wrapped !== seen.requests)
    errors.push(`Sent ${wrapped} of ${seen.requests} requests with the fetch that it was given`);

  const areIdsUnique = asked !== "plain" && !seen.isHeld;
  const faults = judge(seen.history, calls, { areIdsUnique });
  if (client.losesOutput) delete faults["wrong result"];
  const error = errors.length > 0 ? errors.join("; ") : null;
  const counts = { ran: ran.length, expected: calls.length, faults, error };
  return client.isAgent ? { ...counts, repairs } : counts;
}

/** @returns {Promise<never>} */
async function rejectLate() {
  await setTimeout(SCENARIO_TIMEOUT_MS, undefined, { ref: false });
  throw new Error(`Not done in ${SCENARIO_TIMEOUT_MS} ms`);
}

/** Refuses to leave this machine. */
function createGuard() {
  /** @type {string[]} */
  const refused = [];
  return {
    refused,
    /** @param {string | URL | Request} input @param {RequestInit} [init] */
    async fetch(input, init) {
      const { hostname } = new URL(input instanceof Request ? input.url : input);
      if (hostname === "127.0.0.1") return nodeFetch(input, init);
      refused.push(`Asked for ${hostname}`);
      throw new Error(`Cannot fetch: ${hostname} is not this machine`);
    },
  };
}

/** @param {string} target */
async function startProxy(target) {
  const cli = fileURLToPath(new URL("cli/cli.js", DIST));
  const proxy = spawnNode([cli, "proxy", "--target", target, "--port", "0"]);
  proxy.stderr.pipe(process.stderr);
  const exited = new Promise((resolve) => proxy.once("exit", resolve));
  let url = "";
  for await (const line of createInterface({ input: proxy.stdout })) {
    url = /^Listening on (http:\/\/127\.0\.0\.1:\d+)/.exec(line)?.[1] ?? "";
    break;
  }
  // What it says beside that is of no interest, but it has to be able to say it.
  proxy.stdout.resume();
  if (url === "") throw new Error("The proxy does not say where it listens");
  return {
    url,
    /** @returns {Promise<boolean>} whether it stops when it is told to */
    async stop() {
      proxy.kill("SIGINT");
      const hasStopped = exited.then(() => true);
      return Promise.race([hasStopped, setTimeout(STOP_TIMEOUT_MS, false, { ref: false })]);
    },
  };
}
