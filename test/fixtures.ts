/// <reference types="vite/types/importMeta.d.ts" />

import type { Completion } from "../src/index.ts";

/**
 * Every fixture, as text. Vite puts the files into the module: browsers and workerd have no file
 * system to read them from.
 */
const FILES = import.meta.glob<string>("./fixtures/**/*", {
  query: "?raw",
  import: "default",
  eager: true,
});

/** The names of the files in a folder of fixtures, sorted. */
export function fixtureNames(folder: string, extension: string): string[] {
  const prefix = `./fixtures/${folder}/`;
  return Object.keys(FILES)
    .filter((path) => path.startsWith(prefix) && path.endsWith(extension))
    .map((path) => path.slice(prefix.length))
    .sort();
}

export function fixtureText(path: string): string {
  const text = FILES[`./fixtures/${path}`];
  if (text === undefined) throw new Error(`Cannot find fixture: "${path}" is not there`);
  // Bytes that are not UTF-8 have become replacement characters on their way to here.
  if (text.includes("\uFFFD")) throw new Error(`Cannot use fixture: "${path}" is not UTF-8`);
  return text;
}

export function fixtureBytes(path: string): Uint8Array {
  return new TextEncoder().encode(fixtureText(path));
}

/** The codes of what failed, each once: of the error that ended the response, and of diagnostics. */
export function errorCodes(error: unknown, { diagnostics }: Completion): unknown[] {
  const failed = diagnostics.filter(({ severity }) => severity === "error");
  const codes = failed.map(({ code }): unknown => code);
  if (error !== undefined) codes.unshift((error as { code?: unknown }).code);
  return [...new Set(codes)];
}
