// @ts-check
// The processes that the bench of the proxy puts behind each other.

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** @import { ChildProcess, ForkOptions } from "node:child_process" */
/** @typedef {{ cpu: NodeJS.CpuUsage, memory: NodeJS.MemoryUsage }} Usage */
/** @typedef {{ url: string, usage: () => Promise<Usage>, stop: () => void }} Part */

const usage = new URL("usage.js", import.meta.url).href;

/**
 * @param {string} execPath the Node that runs it
 * @param {string} path
 * @param {string[]} args
 * @param {ForkOptions} [options]
 */
function start(execPath, path, args, options = {}) {
  const file = fileURLToPath(new URL(path, import.meta.url));
  return fork(file, args, { execPath, execArgv: ["--import", usage], ...options });
}

/** @param {ChildProcess} child @param {string} url @returns {Part} */
function partOf(child, url) {
  return {
    url,
    async usage() {
      child.send("usage");
      const [answer] = await once(child, "message");
      return answer;
    },
    stop() {
      // Who can still be asked something does not end.
      child.disconnect();
      child.kill("SIGKILL");
    },
  };
}

/** @param {ChildProcess} child @returns {Promise<string>} where it listens */
async function urlOf(child) {
  const [url] = await once(child, "message");
  return url;
}

/** @param {string} node @returns {Promise<Part>} */
export async function startServer(node) {
  const server = start(node, "server.js", []);
  return partOf(server, await urlOf(server));
}

/** @param {string} node @param {string} target @returns {Promise<Part>} */
export async function startBare(node, target) {
  const pipe = start(node, "pipe.js", [target]);
  return partOf(pipe, await urlOf(pipe));
}

/** @param {string} node @param {string} target @returns {Promise<Part>} */
export async function startOurs(node, target) {
  const proxy = start(node, "../../dist/cli/cli.js", ["proxy", "--target", target, "--port", "0"], {
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const [line] = await once(/** @type {NodeJS.ReadableStream} */ (proxy.stdout), "data");
  const [, url = ""] = /on (.*),/.exec(`${line}`) ?? [];
  proxy.stdout?.resume();
  return partOf(proxy, url);
}
