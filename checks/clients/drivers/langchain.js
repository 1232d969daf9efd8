import { tool } from "@langchain/core/tools";
import { ChatOpenAI } from "@langchain/openai";
import { MODEL, TOOL } from "../scenarios.js";

/** @import { Run } from "../child.js" */

/** @param {Run} run @param {object} [settings] */
export const modelOf = ({ baseURL, fetch }, settings) =>
  new ChatOpenAI({
    model: MODEL,
    apiKey: "none",
    configuration: { baseURL, fetch },
    ...settings,
  });

/** @param {Run} run */
export const toolsOf = ({ lookUp }) => {
  const { name, description, parameters } = TOOL;
  return [
    tool(async (/** @type {any} */ { city }) => lookUp(city), {
      name,
      description,
      schema: parameters,
    }),
  ];
};

/**
 * @param {any} agent one that keeps the conversation
 * @param {Run} run
 */
export async function converse(agent, { users, isStreamed }) {
  const config = { configurable: { thread_id: "1" } };
  let messages = [];
  for (const content of users) {
    const input = { messages: [{ role: "user", content }] };
    if (isStreamed) {
      // With `streaming: true` and `invoke`, the model would fetch a tokenizer.
      const stream = await agent.stream(input, { ...config, streamMode: ["messages", "values"] });
      for await (const [mode, state] of stream) if (mode === "values") ({ messages } = state);
    } else ({ messages } = await agent.invoke(input, config));
  }
  return messages.at(-1)?.text;
}
