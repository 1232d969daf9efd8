// @ts-check
// All of the library in one file, for Node: to load a hundred small ones costs it more than the first
// response. Bundlers take the small ones, of which they leave out what is not used.

import { defineConfig } from "rolldown";

export default defineConfig({
  input: "src/index.ts",
  external: "eventsource-parser",
  platform: "neutral",
  output: { file: "dist/bundle.js", format: "esm", sourcemap: true },
});
