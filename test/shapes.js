// @ts-check
// Prints the tables of docs/shapes.md, made from the fixtures: `node test/shapes.js`.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const fixtures = new URL("fixtures/", import.meta.url);

/** @param {string} text */
const cell = (text) => text.replaceAll("|", "\\|").replaceAll(/[<>]/g, (bracket) => `\\${bracket}`);

/** @param {string} source */
function link(source) {
  const thread = /^([\w.-]+\/[\w.-]+)#(\d+)$/.exec(source);
  if (thread) return `[${source}](https://github.com/${thread[1]}/issues/${thread[2]})`;
  return source.startsWith("https://") ? `[${new URL(source).hostname}](${source})` : cell(source);
}

/** @param {string} folder */
function shapesIn(folder) {
  const url = new URL(folder, fixtures);
  return readdirSync(url)
    .filter((file) => file.endsWith(".json"))
    .map((file) => JSON.parse(readFileSync(new URL(file, url), "utf8")));
}

/** Of the chat dialect. */
export function chatShapesTable() {
  const rows = shapesIn("corpus/").map(
    ({ title, provider, source }) => `| ${cell(title)} | ${cell(provider)} | ${link(source[0])} |`,
  );
  return ["| shape | seen at | reported in |", "| --- | --- | --- |", ...rows].join("\n");
}

/** Of the others. */
export function dialectShapesTable() {
  const rows = shapesIn("corpus-dialects/").map(
    ({ dialect, title, source }) =>
      `| ${dialect} | ${cell(title)} | ${source.length > 0 ? link(source[0]) : "the specification"} |`,
  );
  return ["| dialect | shape | reported in |", "| --- | --- | --- |", ...rows].join("\n");
}

/** How many shapes there are, by dialect. */
export function shapeCounts() {
  const dialects = shapesIn("corpus-dialects/").map(({ dialect }) => dialect);
  const countOf = (/** @type {string} */ name) => dialects.filter((each) => each === name).length;
  return {
    chat: shapesIn("corpus/").length,
    messages: countOf("messages"),
    responses: countOf("responses"),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(`${chatShapesTable()}\n\n${dialectShapesTable()}`);
}
