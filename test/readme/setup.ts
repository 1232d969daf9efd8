import { startServer } from "../../demo/server.js";
import { definitions, run as runTool } from "../../demo/tools.js";

const server = await startServer({ delay: 0 });

export const url: string = `${server.url}/chat/completions`;
export const headers = { "content-type": "application/json" };
export const question = { role: "user", content: "Is the sun up in Tokyo? And in São Paulo?" };
export const request = {
  model: "moonshotai/Kimi-K3",
  messages: [question] as unknown[],
  tools: definitions,
};

export const run: (name: string, input: unknown) => unknown = runTool;

/** The next turn of the server. */
export function respond(messages: unknown[] = request.messages): Promise<Response> {
  const body = JSON.stringify({ ...request, messages, stream: true });
  return fetch(url, { method: "POST", headers, body });
}

export const close = (): Promise<void> => server.close();
