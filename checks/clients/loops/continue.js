import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clientOf } from "../drivers/agent.js";

export default clientOf({
  name: "Continue, `cn -p`",
  folder: "continue",
  version: "@continuedev/cli 1.5.47",
  dialect: "messages",
  // It gives up at a 429, and may run a cut call twice, whatever the ids.
  without: ["users", "json", "retry", "cut"],
  tool: "Bash",
  inputOf: (command) => ({ command }),

  start(prompt, { url, home, installed }) {
    mkdirSync(join(home, ".continue"));
    const config = join(home, ".continue/config.yaml");
    writeFileSync(config, configOf(url));
    return {
      command: process.execPath,
      args: [installed("node_modules/.bin/cn"), "-p", "--auto", "--config", config, prompt],
      env: {
        CONTINUE_CLI_AUTO_UPDATED: "1",
        CONTINUE_CLI_ENABLE_TELEMETRY: "0",
        CONTINUE_TELEMETRY_ENABLED: "0",
      },
    };
  },
});

/** @param {string} url */
const configOf = (url) => `
name: vllm
version: 1.0.0
schema: v1
models:
  - name: kimi
    provider: anthropic
    model: kimi-k3
    apiKey: none
    apiBase: ${url}/v1
    roles: [chat, edit, apply]
    capabilities: [tool_use]
    defaultCompletionOptions:
      contextLength: 200000
`;
