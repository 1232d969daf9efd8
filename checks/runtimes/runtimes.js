import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findBrowser } from "./browsers.js";

/**
 * @typedef {object} Runtime
 * @property {string} title
 * @property {string[]} command runs vitest
 * @property {string} config
 * @property {boolean} isNode whether the tests run on Node, and so all of them
 * @property {RegExp} agent how it names itself; its version is in the group, if it says one
 * @property {(() => string) | undefined} [version] if it says none
 * @property {(() => string | undefined) | undefined} [absence] why it cannot run here, if it cannot
 */

/** Where the packages of the runtimes are: not in the root, where a `node` would stand before all others. */
export const FOLDER = dirname(fileURLToPath(import.meta.url));
export const PACKAGES = join(FOLDER, "node_modules");

/** @type {Readonly<Record<string, Runtime>>} */
export const RUNTIMES = {
  node20: node(20),
  node22: node(22),
  node24: node(24),
  node26: node(26),
  deno: {
    title: "Deno",
    command: [join(PACKAGES, ".bin/deno"), "run", "-A"],
    config: "elsewhere",
    isNode: false,
    agent: /^Deno\/([\d.]+)$/,
  },
  bun: {
    title: "Bun",
    command: [join(PACKAGES, ".bin/bun"), "--bun"],
    config: "elsewhere",
    isNode: false,
    agent: /^Bun\/([\d.]+)$/,
  },
  workerd: {
    title: "workerd",
    command: [process.execPath],
    config: "workerd",
    isNode: false,
    agent: /^Cloudflare-Workers$/,
    version: () => JSON.parse(readFileSync(join(PACKAGES, "workerd/package.json"), "utf8")).version,
  },
  chromium: browser("chromium", "Chromium", / HeadlessChrome\/([\d.]+) /, "chromium"),
  firefox: browser("firefox", "Firefox", / Firefox\/([\d.]+)$/, "firefox-esr"),
  webkit: browser(
    "webkit",
    "WebKit",
    / AppleWebKit\/.* Version\/([\d.]+) Safari\//,
    "libwebkit2gtk-4.1-0 xvfb",
  ),
  // Bun has Safari's engine, and its fetch does without the iterator: that of Node does not.
  "no-async-iterator": {
    title: "Bun, no async iterator",
    command: [join(PACKAGES, ".bin/bun"), "--bun"],
    config: "no-async-iterator",
    isNode: false,
    agent: /^Bun\/([\d.]+)$/,
  },
};

/**
 * @param {number} major
 * @returns {Runtime}
 */
function node(major) {
  const path = join(PACKAGES, `node${major}/bin/node`);
  return {
    title: "Node",
    command: [path],
    config: "node",
    isNode: true,
    agent: new RegExp(String.raw`^Node\.js/(${major}\.[\d.]+)$`),
    absence: () => (existsSync(path) ? undefined : "its package is for Linux on x64"),
  };
}

/**
 * @param {import("./browsers.js").Browser} name
 * @param {string} title
 * @param {RegExp} agent
 * @param {string} packages those of Debian that bring it
 * @returns {Runtime}
 */
function browser(name, title, agent, packages) {
  return {
    title,
    command: [process.execPath],
    config: name,
    isNode: false,
    agent,
    absence: () =>
      findBrowser(name) === undefined
        ? `it is not installed (apt-get install ${packages})`
        : undefined,
  };
}
