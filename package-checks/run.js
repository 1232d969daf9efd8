// @ts-check
// Whether tools, compilers and bundlers find nothing wrong with the package (`npm run check:package`),
// and whether its examples run in the places they are for (`npm run check:examples`).

import { existsSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { installed, run } from "./shell.js";

const lockfile = fileURLToPath(new URL("package-lock.json", import.meta.url));
const copy = installed(".package-lock.json");
if (!existsSync(copy) || statSync(copy).mtimeMs < statSync(lockfile).mtimeMs) {
  const cwd = fileURLToPath(new URL(".", import.meta.url));
  await run("npm", ["ci", "--no-audit", "--no-fund"], { cwd });
}
// These import what has just been installed.
await import(process.argv[2] === "examples" ? "./examples.js" : "./checks.js");
