import { runHeld } from "../drivers/openai.js";

/** @import { Client } from "../child.js" */

/** @type {Client} */
export default {
  name: "openai, a loop with `conversation`",
  dialect: "responses",
  packages: ["openai"],
  without: [],
  run: (run) => runHeld(run, () => ({ conversation: run.conversation })),
};
