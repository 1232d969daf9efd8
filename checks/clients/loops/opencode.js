import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clientOf } from "../drivers/agent.js";

export default clientOf({
  name: "OpenCode, `opencode run`",
  folder: "opencode",
  version: "opencode-linux-x64 1.18.33",
  dialect: "messages",
  // A cut call stays in its history, with a result of its own, whatever the ids.
  without: ["users", "json", "cut"],
  tool: "bash",
  inputOf: (command) => ({ command, description: "Look up a city" }),

  start(prompt, { url, home, installed }) {
    mkdirSync(join(home, ".config/opencode"), { recursive: true });
    writeFileSync(join(home, ".config/opencode/opencode.json"), JSON.stringify(configOf(url)));
    return {
      command: installed("node_modules/opencode-linux-x64/bin/opencode"),
      args: ["run", "--format", "json", prompt],
      env: {
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_DEFAULT_PLUGINS: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
        OPENCODE_DISABLE_MODELS_FETCH: "1",
      },
    };
  },
});

/** @param {string} url */
const configOf = (url) => ({
  autoupdate: false,
  share: "disabled",
  permission: { "*": "allow", bash: "allow" },
  model: "vllm/kimi-k3",
  small_model: "vllm/kimi-k3",
  enabled_providers: ["vllm"],
  provider: {
    vllm: {
      npm: "@ai-sdk/anthropic",
      name: "vllm",
      options: { baseURL: `${url}/v1`, apiKey: "none" },
      models: {
        "kimi-k3": {
          name: "kimi-k3",
          tool_call: true,
          limit: { context: 262_144, output: 8192 },
        },
      },
    },
  },
});
