// @ts-check
// The types as users see them: strict projects in each of the TypeScript versions and with each of the
// sets of globals that the package promises to work with, and no cast anywhere.

import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { installed, root, run } from "./shell.js";

/** @import { Packed } from "./packed.js" */

/** The path of each compiler. */
const COMPILERS = {
  "TypeScript 5.6": installed("typescript-5.6/bin/tsc"),
  "TypeScript 5.9": installed("typescript-5.9/bin/tsc"),
  "TypeScript 7": join(root, "node_modules/typescript/bin/tsc"),
};

const BUNDLER = { module: "esnext", moduleResolution: "bundler" };
/** What the compiler options of a project say about the place it is for. */
const PLACES = {
  "lib DOM": { lib: ["ES2022", "DOM", "DOM.Iterable", "DOM.AsyncIterable"], ...BUNDLER },
  "@types/node": { types: [installed("@types/node")] },
  "@cloudflare/workers-types": { types: [installed("@cloudflare/workers-types")], ...BUNDLER },
};

/** The examples that the root project has no types for. */
const EXAMPLES = {
  "openai-sdk.ts": PLACES["@types/node"],
  // Bun's types agree with the newest of @types/node only.
  "bun.ts": { types: [installed("@types/bun")], ...BUNDLER, skipLibCheck: true },
  "worker/worker.ts": PLACES["@cloudflare/workers-types"],
};

const ARRAY_BUFFERS = "array-buffers.test-d.ts";

const STRICT = {
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noPropertyAccessFromIndexSignature: true,
};

/** @param {Packed} packed */
export async function checkTypes({ folder }) {
  const project = join(folder, "consumers");
  await cp(new URL("consumers", import.meta.url), project, { recursive: true });
  for (const name of ["types.test-d.ts", ARRAY_BUFFERS]) {
    await cp(join(root, "test", name), join(project, name));
  }
  const pages = ["README.md", "docs/recipes.md"].map((page) => readFile(join(root, page), "utf8"));
  const text = (await Promise.all(pages)).join("\n");
  const examples = [...text.matchAll(/^```ts\n([^]*?)\n```$/gm)].map(([, example]) => example);
  for (const [index, example] of examples.entries()) {
    await writeFile(join(project, `readme-${index + 1}.ts`), `${example}\n`);
  }

  await symlink(installed("jsonriver"), join(folder, "node_modules/jsonriver"));

  for (const [name, compiler] of Object.entries(COMPILERS)) {
    // An array of bytes has a type parameter since TypeScript 5.7.
    const exclude = name.endsWith("5.6") ? [ARRAY_BUFFERS] : [];
    for (const place of Object.values(PLACES)) await compile(compiler, project, place, { exclude });
  }
  await denoCheck(folder, "consumers");
  const names = [COMPILERS, PLACES].map((each) => Object.keys(each).join(", "));
  return `${names.join(", each with ")}; Deno; ${examples.length} examples of the README and the recipes`;
}

/** @param {Packed} packed */
export async function checkExampleTypes({ folder }) {
  const project = join(folder, "examples");
  for (const name of ["examples", "demo"]) {
    await cp(join(root, name), join(folder, name), { recursive: true });
  }
  await symlink(installed("openai"), join(folder, "node_modules/openai"));
  for (const [file, place] of Object.entries(EXAMPLES)) {
    await compile(COMPILERS["TypeScript 7"], project, place, { files: [file] });
  }
  await denoCheck(folder, "examples/deno.ts");
  return `${Object.keys(EXAMPLES).join(", ")}, deno.ts`;
}

/**
 * @param {string} compiler
 * @param {string} project
 * @param {object} place
 * @param {{ files?: string[], exclude?: string[] }} selection
 */
async function compile(compiler, project, place, selection) {
  const compilerOptions = {
    target: "ES2022",
    module: "nodenext",
    lib: ["ES2022"],
    types: [],
    ...STRICT,
    verbatimModuleSyntax: true,
    allowJs: true,
    noEmit: true,
    // The types of the package are what is checked here.
    skipLibCheck: false,
    ...place,
  };
  const config = JSON.stringify({ compilerOptions, ...selection });
  await writeFile(join(project, "tsconfig.json"), config);
  await run(process.execPath, [compiler, "-p", project]).catch(({ message }) => {
    throw new Error(`${message}\nThe configuration is ${config}`);
  });
}

/**
 * @param {string} folder
 * @param {string} path
 */
async function denoCheck(folder, path) {
  await writeFile(join(folder, "deno.json"), JSON.stringify({ compilerOptions: STRICT }));
  await run(installed(".bin/deno"), ["check", path], { cwd: folder });
}
