// @ts-check
// What users ship: each export bundled alone, with the dependency, minified by esbuild and compressed
// by gzip -9.

import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { installed } from "./shell.js";

/** @import { Packed } from "./packed.js" */

/**
 * The most bytes, gzipped, that an export may cost. What has no limit is only measured.
 *
 * @type {Readonly<Record<string, number>>}
 */
const LIMITS = {
  ToolCallStream: 25_100,
  ChatEventStream: 25_100,
  ToolCallAssembler: 18_200,
  UniqueToolCallIdStream: 18_000,
  uniqueToolCallIds: 20_900,
  toolResult: 700,
  turnMessages: 850,
  findPairingFaults: 1_400,
  mendHistory: 3_750,
};

/** Both ends of the range that package.json allows. */
const LOWEST_PARSER = installed("eventsource-parser-3");
const HIGHEST_PARSER = installed("eventsource-parser-4");

/** What one part of the library says, and no other. */
const MARKERS = {
  assembler: "generateId gave no new id",
  reader: "expected bytes or text",
  parser: "unknown-field",
};

/** Which of these parts an export cannot do without. @type {Readonly<Record<string, string[]>>} */
const PARTS = {
  ToolCallStream: ["assembler", "reader", "parser"],
  ToolCallAssembler: ["assembler"],
  toolResult: [],
  turnMessages: [],
  ToolCallStreamError: [],
};

/** Of all that there is, an export that needs none of them must be less than this. */
const MAX_SHARE = 1 / 5;

/** @param {Packed} packed */
export async function checkSizes({ folder }) {
  const entry = join(folder, "node_modules/toolcall-stream/dist/index.js");
  const names = Object.keys(await import(pathToFileURL(entry).href));
  const lines = [line("export", "minified", "gzip, parser 3", "gzip, parser 4", "limit")];
  const over = [];
  for (const name of [...names, "*"]) {
    const lowest = await bundle(folder, name, LOWEST_PARSER);
    const highest = await bundle(folder, name, HIGHEST_PARSER);
    const sizes = [lowest, highest].map((bytes) => gzipSync(bytes, { level: 9 }).length);
    const limit = LIMITS[name] ?? Number.POSITIVE_INFINITY;
    const limitText = name in LIMITS ? limit : "none";
    lines.push(line(name, Math.max(lowest.length, highest.length), ...sizes, limitText));
    if (Math.max(...sizes) > limit) over.push(name);
  }
  const table = lines.join("\n");
  if (over.length > 0) throw new Error(`${table}\nBeyond the limit: ${over.join(", ")}`);
  return table;
}

/**
 * Who imports one part does not ship the others.
 *
 * @param {Packed} packed
 */
export async function checkTreeShaking({ folder }) {
  const all = await bundle(folder, "*", LOWEST_PARSER);
  for (const [name, parts] of Object.entries(PARTS)) {
    const bytes = await bundle(folder, name, LOWEST_PARSER);
    if (parts.length === 0 && bytes.length > all.length * MAX_SHARE) {
      throw new Error(`${name} alone brings ${bytes.length} bytes of ${all.length}`);
    }
    const text = new TextDecoder().decode(bytes);
    const found = Object.entries(MARKERS).flatMap(([part, marker]) =>
      text.includes(marker) ? [part] : [],
    );
    if (found.join() !== parts.join()) {
      throw new Error(`${name} alone brings ${found.join(", ")}; expected: ${parts.join(", ")}`);
    }
  }
  const { length } = await bundle(folder, "", LOWEST_PARSER);
  if (length > 0) throw new Error(`An import of nothing leaves ${length} bytes`);
  return "";
}

/**
 * @param {string} folder
 * @param {string} name of the export; `*` for all, `""` for none
 * @param {string} parser
 * @returns {Promise<Uint8Array>}
 */
async function bundle(folder, name, parser) {
  const statement = name === "" ? "import" : `export ${name === "*" ? name : `{ ${name} }`} from`;
  const { outputFiles } = await build({
    stdin: { contents: `${statement} "toolcall-stream";`, resolveDir: folder },
    bundle: true,
    // Where there is no `node:`: an export that leads to the command line cannot be bundled.
    platform: "browser",
    minify: true,
    format: "esm",
    target: "es2022",
    alias: { "eventsource-parser": parser },
    write: false,
    logLevel: "silent",
  });
  return outputFiles[0]?.contents ?? new Uint8Array();
}

/**
 * @param {string} name
 * @param {...(string | number)} cells
 */
function line(name, ...cells) {
  return name.padEnd(20) + cells.map((cell) => `${cell}`.padStart(16)).join("");
}
