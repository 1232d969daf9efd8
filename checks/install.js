import { spawnSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { join } from "node:path";

/**
 * Installs what the lockfile of a folder names, unless that has been done.
 *
 * @param {string} folder
 * @returns {boolean} whether all is there
 */
export function installPackages(folder) {
  const installed = join(folder, "node_modules/.package-lock.json");
  const lockfile = join(folder, "package-lock.json");
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(lockfile).mtimeMs)
    return true;
  console.log(`Installing the packages of ${folder}`);
  // Only errors: some of the packages ask for a newer Node than the one that installs them.
  const args = ["ci", "--no-audit", "--no-fund", "--loglevel=error"];
  return spawnSync("npm", args, { cwd: folder, stdio: "inherit" }).status === 0;
}

/**
 * Finds a Node that is new enough: the one that runs this, or the one that a folder has installed,
 * which is for Linux on x64.
 *
 * @param {string} folder
 * @param {number} lowest
 * @returns {string | undefined}
 */
export function findNode(folder, lowest) {
  if (Number.parseInt(process.versions.node, 10) >= lowest) return process.execPath;
  const path = join(folder, "node_modules/node24/bin/node");
  return existsSync(path) ? path : undefined;
}
