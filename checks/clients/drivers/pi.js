import { Agent } from "@earendil-works/pi-agent-core";
import { createModels, createProvider } from "@earendil-works/pi-ai";
import { MODEL, TOOL } from "../scenarios.js";

/** @import { Run } from "../child.js" */

/**
 * @param {string} dialect its name in pi
 * @param {any} api
 * @param {Run} run
 */
export async function runAgent(dialect, api, { baseURL, fetch, users, lookUp }) {
  /** @type {any} */
  const model = {
    id: MODEL,
    name: MODEL,
    api: dialect,
    provider: "vllm",
    // The SDK of Anthropic, which it uses, adds the path with its version.
    baseUrl: dialect === "anthropic-messages" ? new URL("/", baseURL).href : baseURL,
    reasoning: false,
    input: ["text"],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 128_000,
    maxTokens: 1000,
  };
  const models = createModels();
  models.setProvider(
    createProvider({
      id: "vllm",
      name: "vLLM",
      baseUrl: model.baseUrl,
      auth: {
        apiKey: { name: "vLLM", resolve: async () => ({ auth: { apiKey: "none" } }) },
      },
      models: [model],
      api,
    }),
  );
  const agent = new Agent({
    initialState: {
      model,
      tools: [
        {
          ...TOOL,
          label: TOOL.name,
          execute: async (_id, /** @type {any} */ { city }) => ({
            content: [{ type: "text", text: lookUp(city) }],
            details: {},
          }),
        },
      ],
    },
    streamFn: (chosen, context, options) =>
      models.streamSimple(chosen, context, { ...options, fetch, maxRetries: 1 }),
  });
  for (const content of users) await agent.prompt(content);
  if (agent.state.errorMessage !== undefined) throw new Error(agent.state.errorMessage);
  const last = /** @type {any} */ (agent.state.messages.at(-1));
  return last.content.map((/** @type {any} */ { text }) => text ?? "").join("");
}
