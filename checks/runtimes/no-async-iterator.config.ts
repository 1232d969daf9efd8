import { fileURLToPath } from "node:url";
import { mergeConfig } from "vitest/config";
import { elsewhere } from "./shared.ts";

export default mergeConfig(elsewhere, {
  test: {
    setupFiles: [fileURLToPath(new URL("setup/remove-async-iterator.ts", import.meta.url))],
  },
});
