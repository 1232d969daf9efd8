// @ts-check
// The checks, in order, over one tarball.

import { checkBin } from "./bin.js";
import { checkJsr } from "./jsr.js";
import { checkFiles, pack } from "./packed.js";
import { installed, root, run } from "./shell.js";
import { checkSizes, checkTreeShaking } from "./sizes.js";
import { checkExampleTypes, checkTypes } from "./types.js";
import { checkWorkflows } from "./workflows.js";

/** @import { Packed } from "./packed.js" */

/** @type {Record<string, (packed: Packed) => Promise<string>>} */
const checks = {
  files: checkFiles,
  publint: ({ tarball }) => tool("publint", "--strict", tarball),
  attw: ({ tarball }) => tool("attw", "--profile", "esm-only", tarball),
  knip: () => tool("knip", "--directory", root, "--config", "checks/package/knip.jsonc"),
  types: checkTypes,
  "types of the examples": checkExampleTypes,
  "types of these checks": () => run("npx", ["tsc", "-p", "checks/package"]),
  bin: checkBin,
  jsr: checkJsr,
  "tree shaking": checkTreeShaking,
  sizes: checkSizes,
  workflows: checkWorkflows,
};

/**
 * A tool that has much to say also where it finds nothing.
 *
 * @param {string} name
 * @param {...string} args
 */
async function tool(name, ...args) {
  await run(installed(`.bin/${name}`), args);
  return "";
}

const packed = await pack();
try {
  for (const [name, check] of Object.entries(checks)) {
    const start = performance.now();
    const outcome = await check(packed).catch((error) => {
      process.exitCode = 1;
      return error;
    });
    const isGood = !(outcome instanceof Error);
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    console.log(`${isGood ? "✓" : "✗"} ${name} (${seconds} s)`);
    const text = isGood ? outcome : outcome.message;
    if (text !== "") console.log(text.replaceAll(/^/gm, "  "));
  }
} finally {
  await packed.remove();
}
