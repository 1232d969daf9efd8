import { createAnthropic } from "@ai-sdk/anthropic";
import { MODEL } from "../scenarios.js";
import { runSteps } from "../drivers/ai.js";

/** @import { Client } from "../child.js" */

/** @type {Client} */
export default {
  name: "ai `streamText`, anthropic",
  dialect: "messages",
  packages: ["ai", "@ai-sdk/anthropic"],
  without: [],
  run: (run) =>
    runSteps(
      createAnthropic({ baseURL: run.baseURL, fetch: run.fetch, apiKey: "none" })(MODEL),
      run,
    ),
};
