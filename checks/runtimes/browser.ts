import { mergeConfig, type ViteUserConfig } from "vitest/config";
import type { BrowserProviderOption } from "vitest/node";
import type { Browser } from "./browsers.js";
import { elsewhere } from "./shared.ts";

/** The tests in a page of this browser. */
export function inBrowser(browser: Browser, provider: BrowserProviderOption): ViteUserConfig {
  return mergeConfig(elsewhere, {
    test: {
      browser: {
        enabled: true,
        provider,
        headless: true,
        screenshotFailures: false,
        instances: [{ browser }],
      },
    },
  });
}
