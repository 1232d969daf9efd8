import { createOpenAI } from "@ai-sdk/openai";
import { MODEL } from "../scenarios.js";
import { runSteps } from "../drivers/ai.js";

/** @import { Client } from "../child.js" */

/** @type {Client} */
export default {
  // As it is set up: it names the items that the server holds in place of the calls.
  name: "ai `streamText`, openai (Responses)",
  dialect: "responses",
  packages: ["ai", "@ai-sdk/openai"],
  without: [],
  run: (run) =>
    runSteps(
      createOpenAI({ apiKey: "none", baseURL: run.baseURL, fetch: run.fetch }).responses(MODEL),
      run,
    ),
};
