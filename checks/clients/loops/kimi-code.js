import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clientOf } from "../drivers/agent.js";

export default clientOf({
  name: "Kimi Code, `kimi -p`",
  folder: "kimi-code",
  version: "@moonshot-ai/kimi-code 2.1.0",
  dialect: "chat",
  without: ["users", "json"],
  tool: "Bash",
  inputOf: (command) => ({ command }),

  start(prompt, { url, home, installed }) {
    mkdirSync(join(home, ".kimi-code"));
    writeFileSync(join(home, ".kimi-code/config.toml"), configOf(url));
    const main = installed("node_modules/@moonshot-ai/kimi-code/dist/main.mjs");
    return {
      command: process.execPath,
      args: [main, "-p", prompt, "--output-format", "stream-json"],
      env: { KIMI_CODE_NO_AUTO_UPDATE: "1" },
    };
  },

  // It says so where it has given an id that came again another name.
  repairs({ home }) {
    const folder = join(home, ".kimi-code");
    const logs = readdirSync(folder, { recursive: true, encoding: "utf8" });
    const texts = logs
      .filter((path) => path.endsWith(".log"))
      .map((path) => readFileSync(join(folder, path), "utf8"));
    return (texts.join("\n").match(/Rewrote a duplicate/g) ?? []).length;
  },
});

/** @param {string} url */
const configOf = (url) => `
default_model = "vllm/k3"
default_permission_mode = "auto"
telemetry = false

[providers.vllm]
type = "kimi"
base_url = "${url}/v1"
api_key = "none"

[models."vllm/k3"]
provider = "vllm"
model = "kimi-k3"
max_context_size = 262144
capabilities = ["thinking", "tool_use"]
`;
