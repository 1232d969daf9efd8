import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

const include = ["test/**/*.test.ts", "property-tests/**/*.test.ts"];

/** The demo and the examples import the package by its name, as users do. */
const alias = {
  "toolcall-stream": fileURLToPath(new URL("src/index.ts", import.meta.url)),
};

export default defineConfig({
  test: {
    projects: [
      // With the lowest version of the parser that package.json allows, as the lockfile has it.
      { resolve: { alias }, test: { name: "node", include } },
      // With the highest. Its engines ask for Node 22; it runs on 20 as well.
      {
        resolve: { alias: { ...alias, "eventsource-parser": "eventsource-parser-4" } },
        test: { name: "eventsource-parser-4", include },
      },
    ],
  },
});
