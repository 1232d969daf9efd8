import { readdirSync, readFileSync } from "node:fs";
import { format } from "node:util";
import { afterAll, expect, test, vi } from "vitest";
import { chatShapesTable, dialectShapesTable, shapeCounts } from "./shapes.js";
import { close } from "./readme/setup.ts";

const textOf = (page: string): string =>
  readFileSync(new URL(`../${page}`, import.meta.url), "utf8");

const readme = textOf("README.md");
/** All pages with examples. */
const pages = `${readme}\n${textOf("docs/recipes.md")}`;
const folder = new URL("readme/", import.meta.url);
const examples = readdirSync(folder).filter((file) => file !== "setup.ts");

/** What an example shows: the text between its region marks. */
function regionOf(file: string): string {
  const text = readFileSync(new URL(file, folder), "utf8");
  const region = /\/\/ #region readme\n([^]*?)\n\/\/ #endregion/.exec(text)?.[1];
  if (region === undefined) throw new Error(`${file} has no region`);
  return region;
}

/** The fenced blocks of one language, in order. */
function blocksOf(language: string): string[] {
  const fence = new RegExp(`^\`\`\`${language}\n([^]*?)\n\`\`\`$`, "gm");
  return [...pages.matchAll(fence)].map(([, text]) => text ?? "");
}

/** Ids are fresh in every run. */
const masked = (text: string): string => text.replaceAll(/call_[a-z0-9]+…?/g, "call_…");

afterAll(close);

test("every example of the README and the recipes is one that runs", () => {
  expect(blocksOf("ts").sort()).toEqual(examples.map(regionOf).sort());
});

test("the first code stands before line 12", () => {
  expect(readme.split("\n").findIndex((line) => line.startsWith("```ts"))).toBeLessThan(11);
});

test.each(examples)("%s prints what its page says", async (file) => {
  const lines: string[] = [];
  const log = vi.spyOn(console, "log").mockImplementation((...values) => {
    lines.push(format(...values));
  });
  await import(`./readme/${file.replace(".ts", "")}.ts`);
  log.mockRestore();
  const output = lines.join("\n").trim();
  const blocks = blocksOf("text").map(masked);
  expect(output).not.toBe("");
  if (file === "loop.ts") expect(output).toBe("8");
  else expect(blocks).toContain(masked(output));
});

test("the tables of shapes are made from the fixtures, and the README counts their rows", () => {
  const shapes = textOf("docs/shapes.md");
  expect(shapes).toContain(chatShapesTable());
  expect(shapes).toContain(dialectShapesTable());
  const { chat, messages, responses } = shapeCounts();
  const counts = `${chat} of Chat Completions, ${messages} of Anthropic Messages, ${responses} of OpenAI Responses`;
  expect(readme).toContain(counts);
  expect(readme).toContain(`${chat + messages + responses} response bodies`);
});
