import { anthropicMessagesApi } from "@earendil-works/pi-ai/api/anthropic-messages.lazy";
import { runAgent } from "../drivers/pi.js";

/** @import { Client } from "../child.js" */

/** @type {Client} */
export default {
  name: "pi",
  dialect: "messages",
  packages: ["@earendil-works/pi-agent-core", "@earendil-works/pi-ai"],
  // It always streams.
  without: ["json"],
  run: (run) => runAgent("anthropic-messages", anthropicMessagesApi(), run),
};
