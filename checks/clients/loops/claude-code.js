import { readFileSync } from "node:fs";
import { join } from "node:path";
import { clientOf } from "../drivers/agent.js";

const DEBUG_LOG = "debug.log";

export default clientOf({
  name: "Claude Code, `claude -p`",
  folder: "claude-code",
  version: "@anthropic-ai/claude-code 2.1.332",
  dialect: "messages",
  // Headless, it streams, and one run is one conversation.
  without: ["users", "json"],
  tool: "Bash",
  inputOf: (command) => ({ command, description: "Look up a city" }),

  start: (prompt, { url, home, installed }) => ({
    command: installed("node_modules/@anthropic-ai/claude-code-linux-x64/claude"),
    args: [
      "-p",
      prompt,
      "--model",
      "kimi-k3",
      "--allowedTools",
      "Bash",
      "--output-format",
      "stream-json",
      "--verbose",
      "--debug-file",
      join(home, DEBUG_LOG),
    ],
    env: {
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "sk-ant-none",
      ANTHROPIC_SMALL_FAST_MODEL: "kimi-k3",
      ANTHROPIC_DEFAULT_HAIKU_MODEL: "kimi-k3",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
      DISABLE_ERROR_REPORTING: "1",
      DISABLE_TELEMETRY: "1",
    },
  }),

  // It says there that a call had no result, where another one had its id.
  repairs({ home }) {
    const log = readFileSync(join(home, DEBUG_LOG), "utf8");
    return (log.match(/ensureToolResultPairing: repaired/g) ?? []).length;
  },
});
