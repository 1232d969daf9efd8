import { fileURLToPath } from "node:url";
import { defineConfig, mergeConfig, type ViteUserConfig } from "vitest/config";
import { resolve, tests } from "../../vitest.config.ts";
import nodeOnly from "./node-only.json" with { type: "json" };

/** The tests on Node, each saying what ran it. */
export const onNode: ViteUserConfig = defineConfig({
  resolve,
  test: {
    ...tests,
    setupFiles: [fileURLToPath(new URL("setup/name-runtime.ts", import.meta.url))],
  },
});

/** The tests on all other runtimes: less those that need Node. */
export const elsewhere: ViteUserConfig = mergeConfig(onNode, {
  test: {
    exclude: Object.keys(nodeOnly),
    // Two to three times as fast in browsers and workerd; on Node each file has a world of its own.
    isolate: false,
  },
});
