import { runTools } from "../drivers/anthropic.js";

/** @import { Client } from "../child.js" */

/** @type {Client} */
export default {
  name: "@anthropic-ai/sdk `toolRunner`, `thread: false`",
  dialect: "messages",
  packages: ["@anthropic-ai/sdk"],
  without: ["users"],
  run: (run) => runTools(run, { thread: false }),
};
