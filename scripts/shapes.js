// @ts-check
// Prints the README's table of response shapes, made from the fixtures.
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const folder = new URL("../test/fixtures/corpus/", import.meta.url);

/** @param {string} text */
const cell = (text) => text.replaceAll("|", "\\|").replaceAll(/[<>]/g, (bracket) => `\\${bracket}`);

/** @param {string} source */
function link(source) {
  const thread = /^([\w.-]+\/[\w.-]+)#(\d+)$/.exec(source);
  if (thread) return `[${source}](https://github.com/${thread[1]}/issues/${thread[2]})`;
  return source.startsWith("https://") ? `[${new URL(source).hostname}](${source})` : cell(source);
}

export function shapesTable() {
  const rows = readdirSync(folder)
    .filter((file) => file.endsWith(".json"))
    .map((file) => {
      const { title, provider, source } = JSON.parse(readFileSync(new URL(file, folder), "utf8"));
      return `| ${cell(title)} | ${cell(provider)} | ${link(source[0])} |`;
    });
  return ["| shape | seen at | reported in |", "| --- | --- | --- |", ...rows].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(shapesTable());
