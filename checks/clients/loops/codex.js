import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { spawnNode } from "../processes.js";
import { FINAL_TEXT, MODEL } from "../scenarios.js";

/** @import { Client } from "../child.js" */

const CODEX = fileURLToPath(new URL("../node_modules/@openai/codex/bin/codex.js", import.meta.url));

/** Every city that was looked up is a line of it. */
const LOG = "looked-up.txt";

/** @type {Client} */
export default {
  name: "Codex CLI, `codex exec`",
  dialect: "responses",
  packages: ["@openai/codex"],
  // It keeps no conversation from run to run, and always streams.
  without: ["users", "json"],
  // It is a binary.
  takesNoFetch: true,
  isAgent: true,

  // The tool is its own shell.
  asks: (city) => ({
    name: "exec_command",
    input: { cmd: `echo ${city} >> ${LOG}; echo ${city} report $(grep -c ${city} ${LOG})` },
  }),

  async run({ baseURL, users, lookUp }) {
    const folder = mkdtempSync(join(tmpdir(), "codex-"));
    const home = join(folder, "home");
    const work = join(folder, "work");
    mkdirSync(home);
    mkdirSync(work);
    writeFileSync(join(home, "config.toml"), configOf(baseURL));
    try {
      const args = ["exec", "--skip-git-repo-check", "--dangerously-bypass-approvals-and-sandbox"];
      const path = `${dirname(process.execPath)}:${process.env["PATH"]}`;
      const codex = spawnNode([CODEX, ...args, ...users], {
        cwd: work,
        env: { PATH: path, HOME: home, CODEX_HOME: home },
      });
      const [stdout, stderr, [code]] = await Promise.all([
        text(codex.stdout),
        text(codex.stderr),
        once(codex, "close"),
      ]);
      const log = join(work, LOG);
      if (existsSync(log)) readFileSync(log, "utf8").trim().split("\n").forEach(lookUp);
      if (code !== 0) throw new Error(`codex ended with ${code}: ${stderr}`);
      return stdout.trim().endsWith(FINAL_TEXT) ? FINAL_TEXT : stdout;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** @param {string} baseURL */
const configOf = (baseURL) => `
model = "${MODEL}"
model_provider = "vllm"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.vllm]
name = "vLLM"
base_url = "${baseURL}"
wire_api = "responses"
request_max_retries = 1
stream_max_retries = 1
`;
