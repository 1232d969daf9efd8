import { cloudflareTest } from "@cloudflare/vitest-plugin";
import { mergeConfig } from "vitest/config";
import { elsewhere } from "./shared.ts";

export default mergeConfig(elsewhere, {
  plugins: [cloudflareTest({ miniflare: { compatibilityDate: "2026-11-01" } })],
});
