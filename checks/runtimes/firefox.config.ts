import { playwright } from "@vitest/browser-playwright";
import { inBrowser } from "./browser.ts";
import { browserPath } from "./browsers.js";

export default inBrowser(
  "firefox",
  playwright({
    launchOptions: {
      // By WebDriver BiDi: without a channel, Playwright drives only its own build of Firefox.
      channel: "moz-firefox",
      executablePath: browserPath("firefox"),
    },
  }),
);
