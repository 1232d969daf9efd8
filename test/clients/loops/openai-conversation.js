import { runHeld } from "../shared/openai.js";

/** @import { Client } from "../child.js" */

/** @type {Client} */
export default {
  name: "openai, a loop with `conversation`",
  dialect: "responses",
  packages: ["openai"],
  // It is not known whose ids a server holds that streams others than it closes with.
  without: ["split"],
  run: (run) => runHeld(run, () => ({ conversation: run.conversation })),
};
