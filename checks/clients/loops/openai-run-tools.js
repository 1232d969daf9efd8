import OpenAI from "openai";
import { MODEL, TOOL } from "../scenarios.js";

/** @import { Client } from "../child.js" */

/** @type {Client} */
export default {
  name: "openai `runTools`",
  dialect: "chat",
  packages: ["openai"],
  without: ["users"],

  async run({ baseURL, fetch, users, isStreamed, lookUp }) {
    const client = new OpenAI({ baseURL, fetch, apiKey: "none" });
    const [content = ""] = users;
    const { name, description, parameters } = TOOL;
    const runner = client.chat.completions.runTools({
      model: MODEL,
      messages: [{ role: "user", content }],
      tools: [
        {
          type: "function",
          function: {
            name,
            description,
            parameters,
            parse: JSON.parse,
            function: (/** @type {{ city: string }} */ { city }) => lookUp(city),
          },
        },
      ],
      stream: /** @type {any} */ (isStreamed),
    });
    return runner.finalContent();
  },
};
