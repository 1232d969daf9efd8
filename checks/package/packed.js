// @ts-check
// The package as users get it: built, packed, and installed somewhere else.

import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { root, run } from "./shell.js";

/**
 * @typedef {object} Packed
 * @property {string} tarball
 * @property {string} folder of a project that has installed the tarball, and nothing else
 * @property {() => Promise<void>} remove
 */

/** @returns {Promise<Packed>} */
export async function pack() {
  const folder = await mkdtemp(join(tmpdir(), "toolcall-stream-"));
  await run("npm", ["run", "build"]);
  await run("npm", ["pack", "--ignore-scripts", "--pack-destination", folder]);
  const name = (await readdir(folder)).find((file) => file.endsWith(".tgz")) ?? "";
  const tarball = join(folder, name);
  await writeFile(join(folder, "package.json"), '{ "private": true, "type": "module" }\n');
  const quiet = ["--no-audit", "--no-fund", "--no-package-lock"];
  await run("npm", ["install", "--ignore-scripts", ...quiet, tarball], { cwd: folder });
  return { tarball, folder, remove: () => rm(folder, { recursive: true }) };
}

/**
 * What was packed is what was meant: every module of `src` with its types and maps, none that `src`
 * no longer has, and no dependency beside the one.
 *
 * @param {Packed} packed
 */
export async function checkFiles({ folder }) {
  const modules = join(folder, "node_modules");
  const files = await readdir(join(modules, "toolcall-stream"), { recursive: true });
  const packed = files.filter((file) => /\.\w+$|LICENSE/.test(file)).sort();
  const sources = await readdir(join(root, "src"), { recursive: true });
  const expected = sources
    .filter((file) => file.endsWith(".ts"))
    .flatMap((file) => {
      const name = file.slice(0, -".ts".length);
      const ends = [".js", ".js.map", ".d.ts", ".d.ts.map"];
      return ends.map((end) => `dist/${name}${end}`).concat(`src/${file}`);
    })
    .concat("dist/bundle.js", "dist/bundle.js.map")
    .concat("CHANGELOG.md", "LICENSE", "README.md", "package.json")
    .sort();
  const wrong = [
    ...expected.filter((file) => !packed.includes(file)).map((file) => `missing: ${file}`),
    ...packed.filter((file) => !expected.includes(file)).map((file) => `left over: ${file}`),
  ];
  const installed = (await readdir(modules)).filter((name) => !name.startsWith(".")).sort();
  if (installed.join() !== "eventsource-parser,toolcall-stream") {
    wrong.push(`installed: ${installed.join(", ")}`);
  }
  if (wrong.length > 0) throw new Error(wrong.join("\n"));
  return `${packed.length} files`;
}
