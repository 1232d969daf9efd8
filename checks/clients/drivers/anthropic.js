import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { MODEL, TOOL } from "../scenarios.js";

/** @import { Run } from "../child.js" */

/**
 * @param {Run} run
 * @param {{ thread?: false }} settings
 */
export async function runTools({ baseURL, fetch, users, isStreamed, lookUp }, settings) {
  // It adds the path with its version.
  const client = new Anthropic({ baseURL: new URL("/", baseURL).href, fetch, apiKey: "none" });
  const { name, description, parameters } = TOOL;
  const runner = client.beta.messages.toolRunner({
    model: MODEL,
    max_tokens: 1000,
    messages: users.map((content) => ({ role: "user", content })),
    tools: [
      betaTool({ name, description, inputSchema: parameters, run: ({ city }) => lookUp(city) }),
    ],
    stream: isStreamed,
    ...settings,
  });
  const { content } = await runner;
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}
