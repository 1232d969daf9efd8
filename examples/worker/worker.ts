// A Worker in front of a model server, for agents that cannot be changed: every call in its responses
// gets an id that no other call has, and all else passes as it is. Paths and keys are the client's.
//
//   npx wrangler dev --cwd examples/worker --var UPSTREAM_URL:http://localhost:8000
//
// It keeps nothing between two requests. Where the server holds the history, the agent sends results
// only, and they must name the ids that the server knows. A `thread` (Anthropic) shows in the first
// request. `previous_response_id` and `conversation` (OpenAI Responses) show in the second, when the
// ids have been changed: leave such agents to `npx toolcall-stream proxy`, which remembers them.

import { uniqueToolCallIds } from "toolcall-stream";

interface Env {
  readonly UPSTREAM_URL: string;
}

const fetchUnique = uniqueToolCallIds();

export default {
  async fetch(request, env) {
    const { pathname, search } = new URL(request.url);
    const url = `${env.UPSTREAM_URL}${pathname}${search}`;
    const { method, headers } = request;
    const redirect = "manual";
    const isJson =
      headers.get("content-type")?.includes("json") && !headers.has("content-encoding");
    const { body: stream } = request;
    // Some clients say of a GET, too, that it is JSON.
    if (!isJson || !stream) return fetch(url, { method, headers, body: stream, redirect });
    const body = await request.text();
    // Results of a thread come without the calls that they answer, so their ids must stay.
    return (isOfThread(body) ? fetch : fetchUnique)(url, { method, headers, body, redirect });
  },
} satisfies ExportedHandler<Env>;

function isOfThread(body: string): boolean {
  try {
    return "thread" in JSON.parse(body);
  } catch {
    return false; // The server says what is wrong with it.
  }
}

// Answers, when the server has called it "get_sun:0" both times:
// data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_…","type":"function",…}]}}]}
// data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"call_…","type":"function",…}]}}]}
