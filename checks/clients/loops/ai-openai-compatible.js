import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { MODEL } from "../scenarios.js";
import { runSteps } from "../drivers/ai.js";

/** @import { Client } from "../child.js" */

/** @type {Client} */
export default {
  name: "ai `streamText`, openai-compatible",
  dialect: "chat",
  packages: ["ai", "@ai-sdk/openai-compatible"],
  without: [],
  run: (run) =>
    runSteps(
      createOpenAICompatible({ name: "vllm", baseURL: run.baseURL, fetch: run.fetch })(MODEL),
      run,
    ),
};
