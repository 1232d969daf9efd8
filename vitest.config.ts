import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** The demo and the examples import the package by its name, as users do. */
export const resolve = {
  alias: { "toolcall-stream": fileURLToPath(new URL("src/index.ts", import.meta.url)) },
};

/** The tests: the same files on every runtime. */
export const tests = {
  include: ["test/**/*.test.ts", "property-tests/**/*.test.ts"],
  globalSetup: ["test/http-server.ts"],
  provide: {
    // A browser and workerd have no environment variables.
    environment: {
      CI: process.env["CI"],
      PROPERTY_RUNS: process.env["PROPERTY_RUNS"],
      PROPERTY_SEED: process.env["PROPERTY_SEED"],
    },
  },
};

export default defineConfig({
  test: {
    coverage: {
      provider: "v8",
      include: ["src/**"],
      reporter: ["text"],
      reportOnFailure: true,
      thresholds: { 100: true },
    },
    projects: [
      // With the lowest version of the parser that package.json allows, as the lockfile has it.
      { resolve, test: { ...tests, name: "node" } },
      // With the highest. Its engines ask for Node 22; it runs on 20 as well.
      {
        resolve: { alias: { ...resolve.alias, "eventsource-parser": "eventsource-parser-4" } },
        test: { ...tests, name: "eventsource-parser-4" },
      },
    ],
  },
});
