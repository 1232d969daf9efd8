// @ts-check
// The processes that the bench of the proxy puts behind each other.

import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** @import { ChildProcess, ForkOptions } from "node:child_process" */

/** @param {string} path @param {string[]} [args] @param {ForkOptions} [options] */
function start(path, args = [], options = {}) {
  return fork(fileURLToPath(new URL(path, import.meta.url)), args, options);
}

/** @param {ChildProcess} part @returns {Promise<string>} where it listens */
async function urlOf(part) {
  const [url] = await once(part, "message");
  return url;
}

export async function startParts() {
  const server = start("server.js");
  const direct = await urlOf(server);
  const pipe = start("pipe.js", [direct]);
  const bare = await urlOf(pipe);
  const memory = new URL("memory.js", import.meta.url).href;
  const proxy = start("../../dist/cli/cli.js", ["proxy", "--target", direct, "--port", "0"], {
    execArgv: ["--expose-gc", "--import", memory],
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  });
  const [line] = await once(/** @type {NodeJS.ReadableStream} */ (proxy.stdout), "data");
  const [, ours = ""] = /on (.*),/.exec(`${line}`) ?? [];
  proxy.stdout?.resume();
  return {
    urls: { direct, "bare node:http proxy": bare, "this proxy": ours },
    /** @returns {Promise<NodeJS.MemoryUsage>} */
    async memory() {
      proxy.send("memory");
      const [usage] = await once(proxy, "message");
      return usage;
    },
    stop() {
      for (const part of [server, pipe, proxy]) {
        // Who can still be asked something does not end.
        part.disconnect();
        part.kill();
      }
    },
  };
}
