import { readFile } from "node:fs/promises";
import { format } from "node:util";
import { expect, test, vi } from "vitest";
import { startServer } from "../demo/server.js";
import { expectedOutput } from "../checks/package/prints.js";

// The others need their own runtime, or a package: see `npm run check:examples`.
test("examples/node.ts prints what it says", async () => {
  const source = await readFile(new URL("../examples/node.ts", import.meta.url), "utf8");
  const server = await startServer({ delay: 0 });
  vi.stubEnv("OPENAI_BASE_URL", server.url);
  const log = vi.spyOn(console, "log").mockReturnValue();
  await import("../examples/node.ts");
  const output = log.mock.calls.map((values) => format(...values)).join("\n");
  log.mockRestore();
  vi.unstubAllEnvs();
  await server.close();

  expect(output).toMatch(expectedOutput(source));
});
