import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clientOf } from "../drivers/agent.js";

export default clientOf({
  name: "Qwen Code, `qwen --yolo`",
  folder: "qwen-code",
  version: "@qwen-code/qwen-code 0.24.4",
  dialect: "chat",
  without: ["users", "json"],
  losesOutput: true,
  tool: "run_shell_command",
  inputOf: (command) => ({ command, description: "Look up a city" }),

  start(prompt, { url, home, installed }) {
    mkdirSync(join(home, ".qwen"));
    const settings = {
      general: { disableAutoUpdate: true, enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      security: { auth: { selectedType: "openai" } },
    };
    writeFileSync(join(home, ".qwen/settings.json"), JSON.stringify(settings));
    return {
      command: process.execPath,
      args: [
        installed("node_modules/.bin/qwen"),
        "--auth-type",
        "openai",
        "--model",
        "kimi-k3",
        "--yolo",
        "--output-format",
        "stream-json",
        prompt,
      ],
      env: { OPENAI_API_KEY: "none", OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: "kimi-k3" },
    };
  },
});
