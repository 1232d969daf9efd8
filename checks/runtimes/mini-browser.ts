import { type ChildProcess, spawn } from "node:child_process";
import { defineBrowserProvider } from "@vitest/browser";
import type { BrowserProvider, BrowserProviderOption } from "vitest/node";

/**
 * WebKit as Debian has it: WebKitGTK's MiniBrowser, on a display of its own.
 *
 * Playwright drives only its own build of WebKit. To run tests, a browser needs no driver: it has to
 * open the page.
 */
export function miniBrowser(executablePath: string): BrowserProviderOption {
  return defineBrowserProvider({
    name: "mini-browser",
    supportedBrowser: ["webkit"],
    providerFactory: () => new MiniBrowserProvider(executablePath),
  });
}

class MiniBrowserProvider implements BrowserProvider {
  readonly name = "mini-browser";
  readonly supportsParallelism = false;
  #executablePath: string;
  #processes: ChildProcess[] = [];

  constructor(executablePath: string) {
    this.#executablePath = executablePath;
  }

  getCommandsContext(): Record<string, unknown> {
    return {};
  }

  async openPage(_sessionId: string, url: string): Promise<void> {
    // Takes a display that is free, and writes its number into file 3.
    const display = spawn("Xvfb", ["-displayfd", "3", "-nolisten", "tcp"], {
      stdio: ["ignore", "ignore", "ignore", "pipe"],
    });
    this.#processes.push(display);
    const number = await new Promise<string>((resolve, reject) => {
      display.on("error", reject);
      display.stdio[3]?.once("data", (line) => resolve(String(line).trim()));
    });
    const browser = spawn(this.#executablePath, [url], {
      env: { ...process.env, DISPLAY: `:${number}` },
      stdio: "ignore",
    });
    this.#processes.unshift(browser);
  }

  close(): void {
    for (const child of this.#processes) child.kill();
  }
}
