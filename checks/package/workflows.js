// @ts-check
// The workflows are of the form that GitHub takes, and run no action that can change under its name.

import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { installed, root, run } from "./shell.js";

const FOLDER = join(root, ".github/workflows");
/** A commit, with the version that it is beside it. */
const PINNED = /@[0-9a-f]{40} # v\d+\.\d+\.\d+$/;

export async function checkWorkflows() {
  const paths = (await readdir(FOLDER)).map((name) => join(FOLDER, name));
  for (const path of paths) {
    await run(installed(".bin/action-validator"), [path]);
    const lines = (await readFile(path, "utf8")).split("\n");
    const loose = lines.find((line) => /^\s*(- )?uses:/.test(line) && !PINNED.test(line));
    if (loose !== undefined) throw new Error(`Not pinned: ${loose.trim()}`);
  }
  return "";
}
