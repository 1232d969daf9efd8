import OpenAI from "openai";
import { MODEL, TOOL } from "../scenarios.js";

/** @import { Response, ResponseInputItem } from "openai/resources/responses/responses" */
/** @import { Run } from "../child.js" */

/**
 * A loop that sends no more than what is new, for the server holds the rest.
 *
 * @param {Run} run
 * @param {(last: Response | undefined) => object} held says what the server goes on from
 */
export async function runHeld({ baseURL, fetch, users, isStreamed, lookUp }, held) {
  const client = new OpenAI({ baseURL, fetch, apiKey: "none" });
  /** @type {Response | undefined} */
  let response;
  for (const content of users) {
    /** @type {ResponseInputItem[]} */
    let input = [{ role: "user", content }];
    while (input.length > 0) {
      /** @type {import("openai/resources/responses/responses").FunctionTool[]} */
      const tools = [{ type: "function", ...TOOL, strict: true }];
      const body = { model: MODEL, input, tools, ...held(response) };
      response = isStreamed
        ? await client.responses.stream(body).finalResponse()
        : await client.responses.create(body);
      input = response.output.flatMap((item) =>
        item.type === "function_call"
          ? {
              type: "function_call_output",
              call_id: item.call_id,
              output: lookUp(JSON.parse(item.arguments).city),
            }
          : [],
      );
    }
  }
  return response?.output_text;
}
