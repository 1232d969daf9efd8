// @ts-check
// Runs each example over the packed package, in the place it is for, against the demo's server:
// `npm run check:examples`. The runtimes are those of ../runtimes; an example whose runtime is not
// installed is left out, unless `CI` is set: then it fails.

import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { transform } from "esbuild";
import { createServer } from "vite";
import { startServer } from "../../demo/server.js";
import { findBrowser } from "../runtimes/browsers.js";
import { findNode } from "../install.js";
import { pack } from "./packed.js";
import { expectedOutput } from "./prints.js";
import { installed, root, run } from "./shell.js";
import { askWorker } from "./worker.js";

/** Between two events, in milliseconds. */
const DELAY = 5;
const RUNTIMES = join(root, "checks/runtimes");

class NotInstalled extends Error {}

const packed = await pack();
const server = await startServer({ delay: DELAY });
const examples = join(packed.folder, "examples");
Object.assign(process.env, {
  OPENAI_BASE_URL: server.url,
  OPENAI_API_KEY: "none",
  // Wrangler would ask its maker for what no example needs.
  CLOUDFLARE_CF_FETCH_ENABLED: "false",
  WRANGLER_SEND_METRICS: "false",
});

/**
 * How to run each example, and what it then prints.
 *
 * @type {Record<string, (path: string) => Promise<string>>}
 */
const EXAMPLES = {
  "node.ts": runWithNode,
  "agent-loop.ts": runWithNode,
  "openai-sdk.ts": runWithNode,
  "deno.ts": async (path) => run(runtime("deno"), ["run", "--allow-env", "--allow-net", path]),
  "bun.ts": async (path) => run(runtime("bun"), [path]),
  "worker/worker.ts": (path) =>
    askWorker(load("wrangler"), [newNode(), runtime("wrangler")], dirname(path)),
  "browser/page.ts": openPage,
};

/** @param {string} path */
async function runWithNode(path) {
  // Node 20 does not take TypeScript.
  const { code } = await transform(await readFile(path, "utf8"), { loader: "ts" });
  const script = path.replace(".ts", ".js");
  await writeFile(script, code);
  return run(process.execPath, [script]);
}

async function openPage() {
  const executablePath = findBrowser("chromium");
  if (executablePath === undefined) throw new NotInstalled("Chromium is not installed");
  const options = { executablePath, args: ["--no-sandbox", "--disable-gpu"] };
  const browser = await load("playwright").chromium.launch(options);
  const vite = await createServer({ root: join(examples, "browser"), logLevel: "silent" });
  try {
    await vite.listen();
    const page = await browser.newPage();
    await page.goto(vite.resolvedUrls?.local[0] ?? "");
    await page.click("button");
    await page.locator("li.complete").nth(1).waitFor();
    return await page.innerText("ol");
  } finally {
    await browser.close();
    await vite.close();
  }
}

/** Wrangler's command line needs Node 22; these checks run on 20 as well. */
function newNode() {
  const path = findNode(RUNTIMES, 22);
  if (path === undefined) throw new NotInstalled("Node 22 is not installed in checks/runtimes");
  return path;
}

/**
 * The program of a runtime.
 *
 * @param {string} name
 */
function runtime(name) {
  load(`${name}/package.json`);
  return join(RUNTIMES, "node_modules/.bin", name);
}

/**
 * What a package of the runtimes exports.
 *
 * @param {string} name
 * @returns {any}
 */
function load(name) {
  const require = createRequire(join(RUNTIMES, "package.json"));
  try {
    return require(name);
  } catch (cause) {
    throw new NotInstalled(`${name} is not installed in checks/runtimes`, { cause });
  }
}

try {
  for (const name of ["examples", "demo"]) {
    await cp(join(root, name), join(packed.folder, name), { recursive: true });
  }
  await symlink(installed("openai"), join(packed.folder, "node_modules/openai"));
  for (const [name, show] of Object.entries(EXAMPLES)) {
    const path = join(examples, name);
    try {
      const expected = expectedOutput(await readFile(path, "utf8"));
      const output = await show(path);
      if (!expected.test(output)) throw new Error(`${output}\nis not\n${expected.source}`);
      console.log(`✓ ${name}`);
    } catch (error) {
      const isAbsent = error instanceof NotInstalled;
      console.log(`${isAbsent ? "-" : "✗"} ${name}: ${/** @type {Error} */ (error).message}`);
      if (!isAbsent || process.env["CI"]) process.exitCode = 1;
    }
  }
} finally {
  await server.close();
  await packed.remove();
}
