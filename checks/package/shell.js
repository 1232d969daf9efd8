// @ts-check
// Where things are, and how programs are run.

import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

/** @import { ExecFileOptions } from "node:child_process" */

/** The folder of the package. */
export const root = fileURLToPath(new URL("../..", import.meta.url));

/** More than any of the programs prints. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024;

/**
 * Runs a program to its end, in the folder of the package unless told otherwise.
 *
 * @param {string} program
 * @param {readonly string[]} args
 * @param {ExecFileOptions} [options]
 * @returns {Promise<string>} what it printed
 * @throws what it printed, when it failed
 */
export async function run(program, args, options = {}) {
  const env = { ...process.env, NO_COLOR: "1", ...options.env };
  const settings = { cwd: root, maxBuffer: MAX_OUTPUT_BYTES, ...options, env };
  try {
    const { stdout } = await promisify(execFile)(program, args, settings);
    return `${stdout}`.trim();
  } catch (error) {
    const { stdout, stderr } = /** @type {Record<string, string>} */ (error);
    const output = [stdout, stderr].filter(Boolean).join("\n") || `${error}`;
    throw new Error([program, ...args].join(" ") + "\n" + output.trim(), { cause: error });
  }
}

/**
 * The path of something that is installed beside these checks.
 *
 * @param {string} path
 */
export function installed(path) {
  return fileURLToPath(new URL(`node_modules/${path}`, import.meta.url));
}
