// @ts-check
// The command line, as npm installs it.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { root, run } from "./shell.js";

/** @import { Packed } from "./packed.js" */

/** @param {Packed} packed */
export async function checkBin({ folder }) {
  const program = join(folder, "node_modules/.bin/toolcall-stream");
  const { version } = JSON.parse(await readFile(join(root, "package.json"), "utf8"));
  const printed = await run(program, ["--version"], { cwd: folder });
  if (printed !== version) throw new Error(`--version printed ${printed}, not ${version}`);

  const body = join(root, "test/fixtures/wire/chat-k3-parallel.sse");
  const output = await run("sh", ["-c", `"${program}" < "${body}"`], { cwd: folder });
  const statuses = output.split("\n").map((line) => JSON.parse(line).status);
  if (statuses.join() !== "complete,complete") throw new Error(`It printed ${output}`);
  return version;
}
