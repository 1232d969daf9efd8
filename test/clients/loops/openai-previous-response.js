import OpenAI from "openai";
import { MODEL, TOOL } from "../scenarios.js";

/** @import { Client } from "../child.js" */
/** @import { Response, ResponseInputItem } from "openai/resources/responses/responses" */

/** @type {Client} */
export default {
  name: "openai, a loop with `previous_response_id`",
  dialect: "responses",
  packages: ["openai"],
  // It is not known whose ids a server holds that streams others than it closes with.
  without: ["split"],

  async run({ baseURL, fetch, users, isStreamed, lookUp }) {
    const client = new OpenAI({ baseURL, fetch, apiKey: "none" });
    /** @type {Response | undefined} */
    let response;
    for (const content of users) {
      /** @type {ResponseInputItem[]} */
      let input = [{ role: "user", content }];
      while (input.length > 0) {
        const body = {
          model: MODEL,
          input,
          tools: [{ type: /** @type {const} */ ("function"), ...TOOL, strict: true }],
          previous_response_id: response?.id,
        };
        response = isStreamed
          ? await client.responses.stream(body).finalResponse()
          : await client.responses.create(body);
        input = response.output
          .filter((item) => item.type === "function_call")
          .map(({ call_id, arguments: json }) => ({
            type: "function_call_output",
            call_id,
            output: lookUp(JSON.parse(json).city),
          }));
      }
    }
    return response?.output_text;
  },
};
