import { generateText, isStepCount, jsonSchema, streamText, tool } from "ai";
import { TOOL } from "../scenarios.js";

/** @import { LanguageModel, ModelMessage } from "ai" */
/** @import { Run } from "../child.js" */

/** More than any scenario has. */
const MAX_STEPS = 9;

/**
 * @param {LanguageModel} model
 * @param {Run} run
 */
export async function runSteps(model, { users, isStreamed, lookUp }) {
  const { name, description, parameters } = TOOL;
  const tools = {
    [name]: tool({
      description,
      inputSchema: /** @type {import("ai").Schema<{ city: string }>} */ (jsonSchema(parameters)),
      execute: async ({ city }) => lookUp(city),
    }),
  };
  /** @type {ModelMessage[]} */
  const messages = [];
  let text;
  for (const content of users) {
    messages.push({ role: "user", content });
    const settings = { model, messages, tools, stopWhen: isStepCount(MAX_STEPS) };
    const result = isStreamed ? streamText(settings) : await generateText(settings);
    text = await result.text;
    messages.push(...(await result.responseMessages));
  }
  return text;
}
