import { Agent, run, setTracingDisabled, tool } from "@openai/agents";
import { TOOL } from "../scenarios.js";

/** @import { AgentInputItem, Model } from "@openai/agents" */
/** @import { Run } from "../child.js" */

// It would send the traces to OpenAI.
setTracingDisabled(true);

/**
 * @param {Model} model
 * @param {Run} settings
 */
export async function runAgent(model, { users, isStreamed, lookUp }) {
  const agent = new Agent({
    name: "Assistant",
    model,
    tools: [
      tool({ ...TOOL, strict: true, execute: async (/** @type {any} */ { city }) => lookUp(city) }),
    ],
  });
  /** @type {AgentInputItem[]} */
  let history = [];
  let text;
  for (const content of users) {
    history.push({ role: "user", content });
    const result = isStreamed
      ? await run(agent, history, { stream: true })
      : await run(agent, history);
    if ("completed" in result) await result.completed;
    text = result.finalOutput;
    history = result.history;
  }
  return text;
}
