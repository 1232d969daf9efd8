// Compares our messages with those of the official SDKs: `npm run test:oracles`.
//
// They need a newer Node than we do, so it comes with them where the one that runs this is too old.
// Nothing of it is in the root, where a `node` would stand before all others.

import { spawnSync } from "node:child_process";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findNode, installPackages } from "../install.js";

const FOLDER = dirname(fileURLToPath(import.meta.url));
const ROOT = dirname(dirname(FOLDER));

/** What the `openai` package asks for. */
const LOWEST_NODE = 22;

process.exitCode = main();

/** @returns {number} the code to exit with */
function main() {
  if (!installPackages(FOLDER)) return fail("npm ci has failed");
  const node = findNode(FOLDER, LOWEST_NODE);
  if (node === undefined) {
    const here = `this is ${process.version}, and the package of another is for Linux on x64`;
    return fail(`Cannot run the official SDKs: they need Node ${LOWEST_NODE} or newer, ${here}`);
  }
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", `--config=${join(FOLDER, "vitest.config.ts")}`];
  const { status, error } = spawnSync(node, args, { cwd: ROOT, stdio: "inherit" });
  return error === undefined ? (status ?? 1) : fail(error.message);
}

/** @param {string} fault */
function fail(fault) {
  console.error(fault);
  return 1;
}
