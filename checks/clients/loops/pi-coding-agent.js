import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { clientOf } from "../drivers/agent.js";

export default clientOf({
  name: "Pi, `pi -p`",
  folder: "pi-coding-agent",
  version: "@earendil-works/pi-coding-agent 1.6.0",
  dialect: "chat",
  without: ["users", "json"],
  tool: "bash",
  inputOf: (command) => ({ command }),

  start(prompt, { url, home, installed }) {
    mkdirSync(join(home, ".pi/agent"), { recursive: true });
    const model = { id: "kimi-k3", reasoning: true, contextWindow: 262_144, maxTokens: 8192 };
    const provider = { baseUrl: `${url}/v1`, api: "openai-completions", apiKey: "none" };
    const models = { providers: { vllm: { ...provider, models: [model] } } };
    writeFileSync(join(home, ".pi/agent/models.json"), JSON.stringify(models));
    return {
      command: process.execPath,
      args: [
        installed("node_modules/.bin/pi"),
        "-p",
        "--mode",
        "json",
        "--offline",
        "--provider",
        "vllm",
        "--model",
        "kimi-k3",
        prompt,
      ],
      env: { PI_OFFLINE: "1" },
    };
  },
});
