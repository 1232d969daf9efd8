// @ts-check
// JSR takes the sources as they are, so they must type-check in Deno, and have no slow types.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { installed, root, run } from "./shell.js";

export async function checkJsr() {
  const [npm, jsr] = await Promise.all(["package.json", "jsr.json"].map(readJson));
  if (npm.version !== jsr.version) {
    throw new Error(`package.json is ${npm.version}, jsr.json is ${jsr.version}`);
  }
  // With a package.json, Deno looks for the dependency in node_modules.
  const env = { ...process.env, DENO_NO_PACKAGE_JSON: "1" };
  await run(installed(".bin/deno"), ["publish", "--dry-run", "--allow-dirty"], { env });
  return `${jsr.name} ${jsr.version}`;
}

/** @param {string} name */
async function readJson(name) {
  return JSON.parse(await readFile(join(root, name), "utf8"));
}
