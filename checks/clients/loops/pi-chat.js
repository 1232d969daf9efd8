import { openAICompletionsApi } from "@earendil-works/pi-ai/api/openai-completions.lazy";
import { runAgent } from "../drivers/pi.js";

/** @import { Client } from "../child.js" */

/** @type {Client} */
export default {
  name: "pi",
  dialect: "chat",
  packages: ["@earendil-works/pi-agent-core", "@earendil-works/pi-ai"],
  // It always streams.
  without: ["json"],
  run: (run) => runAgent("openai-completions", openAICompletionsApi(), run),
};
