// A Worker between a page and a model: it keeps the key, and passes each call on as a line of JSON the
// moment it is complete.
//
//   npx wrangler dev --cwd examples/worker --var OPENAI_BASE_URL:http://localhost:8000/v1

import { type ToolCall, ToolCallStream } from "toolcall-stream";

interface Env {
  readonly OPENAI_BASE_URL: string;
  readonly OPENAI_API_KEY: string;
  readonly MODEL: string;
}

export default {
  async fetch(request, env) {
    const { messages, tools } = await request.json<{ messages: unknown; tools: unknown }>();
    const { OPENAI_API_KEY: key, MODEL: model } = env;
    const response = await fetch(`${env.OPENAI_BASE_URL}/chat/completions`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json" },
      body: JSON.stringify({ model, messages, tools, stream: true }),
    });
    if (!response.ok || !response.body) return new Response(response.body, { status: 502 });

    const lines = new TransformStream<ToolCall, string>({
      transform: (call, controller) => controller.enqueue(`${JSON.stringify(call)}\n`),
    });
    const calls = response.body.pipeThrough(new ToolCallStream()).pipeThrough(lines);
    return new Response(calls.pipeThrough(new TextEncoderStream()), {
      headers: { "content-type": "application/jsonl" },
    });
  },
} satisfies ExportedHandler<Env>;

// Answers:
// {"id":"call_…","providerId":"get_sun:0",…,"input":{"city":"Tokyo"},…}
// {"id":"call_…","providerId":"get_time:1",…,"input":{"zone":"Asia/Tokyo"},…}
