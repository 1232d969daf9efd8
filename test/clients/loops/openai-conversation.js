import OpenAI from "openai";
import { MODEL, TOOL } from "../scenarios.js";

/** @import { Client } from "../child.js" */
/** @import { ResponseInputItem } from "openai/resources/responses/responses" */

/** @type {Client} */
export default {
  name: "openai, a loop with `conversation`",
  dialect: "responses",
  packages: ["openai"],
  // It is not known whose ids a server holds that streams others than it closes with.
  without: ["split"],

  async run({ baseURL, fetch, users, isStreamed, lookUp, conversation }) {
    const client = new OpenAI({ baseURL, fetch, apiKey: "none" });
    let text;
    for (const content of users) {
      /** @type {ResponseInputItem[]} */
      let input = [{ role: "user", content }];
      while (input.length > 0) {
        const body = {
          model: MODEL,
          input,
          tools: [{ type: /** @type {const} */ ("function"), ...TOOL, strict: true }],
          conversation,
        };
        const response = isStreamed
          ? await client.responses.stream(body).finalResponse()
          : await client.responses.create(body);
        input = response.output
          .filter((item) => item.type === "function_call")
          .map(({ call_id, arguments: json }) => ({
            type: "function_call_output",
            call_id,
            output: lookUp(JSON.parse(json).city),
          }));
        text = response.output_text;
      }
    }
    return text;
  },
};
