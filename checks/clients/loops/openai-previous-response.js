import { runHeld } from "../drivers/openai.js";

/** @import { Client } from "../child.js" */

/** @type {Client} */
export default {
  name: "openai, a loop with `previous_response_id`",
  dialect: "responses",
  packages: ["openai"],
  without: [],
  run: (run) => runHeld(run, (last) => ({ previous_response_id: last?.id })),
};
