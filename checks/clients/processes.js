import { spawn } from "node:child_process";

/** @import { ChildProcessByStdio } from "node:child_process" */
/** @import { Readable } from "node:stream" */

/**
 * Starts a Node that ends no later than this process does.
 *
 * @param {string[]} args
 * @param {import("node:child_process").SpawnOptions} [options]
 * @returns {ChildProcessByStdio<null, Readable, Readable>}
 */
export function spawnNode(args, options) {
  const node = spawn(process.execPath, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
  const kill = () => node.kill("SIGKILL");
  process.once("exit", kill);
  node.once("exit", () => process.off("exit", kill));
  return node;
}
