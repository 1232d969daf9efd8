import { spawnSync } from "node:child_process";
import { clientOf } from "../drivers/agent.js";

const PROVIDER = "openai-compatible";

export default clientOf({
  name: "Cline, `cline --json`",
  folder: "cline",
  version: "@cline/cli-linux-x64 3.0.65",
  dialect: "chat",
  // It glues the answer to a retry to the one that broke off, whatever the ids.
  without: ["users", "json", "cut"],
  tool: "run_commands",
  inputOf: (command) => ({ commands: /** @type {any} */ ([command]) }),

  start(prompt, { url, home, work, installed }) {
    const command = installed("node_modules/@cline/cli-linux-x64/bin/cline");
    const env = { CLINE_NO_AUTO_UPDATE: "1", CLINE_TELEMETRY_DISABLED: "1", DO_NOT_TRACK: "1" };
    const facts = ["--apikey", "none", "--modelid", "kimi-k3", "--baseurl", `${url}/v1`];
    spawnSync(command, ["auth", PROVIDER, ...facts], {
      env: { PATH: process.env["PATH"], HOME: home, ...env },
    });
    const args = ["--json", "--auto-approve", "true", "-P", PROVIDER, "-m", "kimi-k3"];
    return { command, args: [...args, "-c", work, prompt], env };
  },
});
