// A whole agent, against each of three APIs: tools start the moment their call completes, side by side; a
// call that was cut, is no JSON or has a tool that fails goes back with the reason, and the model tries
// again; so it does when the server breaks off in the middle of a turn, and no call is run twice.
//
//   OPENAI_BASE_URL=http://localhost:8000/v1 API=messages node examples/agent-loop.ts

import {
  ChatEventStream,
  type ToolCall,
  ToolCallStreamError,
  toolResult,
  turnMessages,
} from "toolcall-stream";
import { definitions, run } from "../demo/tools.js";

const { OPENAI_BASE_URL, OPENAI_API_KEY, API = "chat" } = process.env;
const { MODEL: model = "moonshotai/Kimi-K3" } = process.env;
const history: unknown[] = [{ role: "user", content: "Is the sun up in Tokyo? And in São Paulo?" }];
const functions = definitions.map((definition) => definition.function);
const MAX_FAILURES = 3;

/** All that differs from API to API. */
const REQUESTS: Record<string, () => { path: string; headers: object; body: object }> = {
  chat: () => ({
    path: "/chat/completions",
    headers: { authorization: `Bearer ${OPENAI_API_KEY}` },
    body: { messages: history, tools: definitions },
  }),
  messages: () => ({
    path: "/messages",
    headers: { "x-api-key": OPENAI_API_KEY, "anthropic-version": "2023-06-01" },
    body: {
      messages: history,
      max_tokens: 8192,
      tools: functions.map(({ name, description, parameters }) => ({
        name,
        description,
        input_schema: parameters,
      })),
    },
  }),
  responses: () => ({
    path: "/responses",
    headers: { authorization: `Bearer ${OPENAI_API_KEY}` },
    body: {
      input: history,
      store: false,
      include: ["reasoning.encrypted_content"],
      tools: functions.map((tool) => Object.assign({ type: "function" }, tool)),
    },
  }),
};

async function respond(): Promise<ReadableStream<Uint8Array>> {
  const request = REQUESTS[API]?.();
  if (request === undefined) throw new Error(`API is ${Object.keys(REQUESTS).join(" or ")}`);
  const response = await fetch(`${OPENAI_BASE_URL}${request.path}`, {
    method: "POST",
    headers: { "content-type": "application/json", ...request.headers },
    body: JSON.stringify({ model, stream: true, ...request.body }),
  });
  if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
  return response.body;
}

const answer = async (call: ToolCall) => {
  if (call.status === "incomplete") return toolResult(call, call.error);
  try {
    return toolResult(call, await run(call.name, call.input));
  } catch (error) {
    return toolResult(call, error, { isError: true });
  }
};

let failures = 0;
for (;;) {
  const events = new ChatEventStream();
  const results = [];
  let text = "";
  let hasFailed = false;
  try {
    for await (const event of (await respond()).pipeThrough(events)) {
      if (event.type === "tool-call") results.push(answer(event.call));
      else if (event.type === "text") text += event.text;
    }
  } catch (error) {
    hasFailed = true;
    failures += 1;
    if (!(error instanceof ToolCallStreamError) || failures > MAX_FAILURES) throw error;
    console.log(`${error.code}: asking again`);
  }
  // Every call came out before the error did: those of a turn that failed have run as well.
  if (results.length > 0) {
    history.push(...turnMessages(events.snapshot(), await Promise.all(results)));
  } else if (!hasFailed) {
    console.log(text);
    break;
  }
}

// Prints:
// In Tokyo it is … and the sun is … (… to …). In São Paulo it is …
