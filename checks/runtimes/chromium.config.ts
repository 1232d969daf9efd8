import { playwright } from "@vitest/browser-playwright";
import { inBrowser } from "./browser.ts";
import { browserPath } from "./browsers.js";

export default inBrowser(
  "chromium",
  playwright({
    launchOptions: {
      executablePath: browserPath("chromium"),
      args: [
        // The tests load nothing but themselves, and CI is often root.
        "--no-sandbox",
        "--disable-gpu",
        "--disable-quic",
        "--no-first-run",
        // No talk with anyone but the tests' server.
        "--disable-background-networking",
        "--disable-component-update",
        "--disable-sync",
      ],
    },
  }),
);
