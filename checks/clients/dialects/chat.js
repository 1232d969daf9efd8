// Chat completions as vLLM's Python front end sends them for Kimi K3.

/** @import { Dialect, Entry } from "../server.js" */

/** @type {Dialect} */
export const chat = {
  path: "/v1/chat/completions",

  stream({ id, calls, text, model }, body) {
    const head = { id: `chatcmpl-${id}`, object: "chat.completion.chunk", created: CREATED, model };
    /** @param {object} delta */
    const chunk = (delta, end = {}) => ({
      ...head,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: null, ...end, token_ids: null }],
    });
    const { token_ids: _, ...role } = /** @type {any} */ (
      chunk({ role: "assistant", content: "" }).choices[0]
    );
    const chunks = [
      { ...head, choices: [role], prompt_token_ids: null, prompt_text: null },
      chunk({ reasoning: "The user asks." }),
      ...(text === undefined ? [] : text.split(/(?<= )/).map((part) => chunk({ content: part }))),
      // A whole call in each, as the parser of Kimi K3 gives them.
      ...calls.map((call, index) =>
        chunk({ content: null, tool_calls: [toolCall(call, { index })] }),
      ),
      chunk({}, { finish_reason: finishReason(calls), stop_reason: null }),
      ...(body.stream_options?.include_usage ? [{ ...head, choices: [], usage: USAGE }] : []),
    ];
    return [...chunks.map((data) => `data: ${JSON.stringify(data)}\n\n`), "data: [DONE]\n\n"].join(
      "",
    );
  },

  json({ id, calls, text, model }) {
    const message = {
      role: "assistant",
      content: text ?? null,
      refusal: null,
      annotations: null,
      audio: null,
      function_call: null,
      tool_calls: calls.map((call) => toolCall(call)),
      reasoning: "The user asks.",
    };
    const finish_reason = finishReason(calls);
    return {
      id: `chatcmpl-${id}`,
      object: "chat.completion",
      created: CREATED,
      model,
      choices: [
        { index: 0, message, logprobs: null, finish_reason, stop_reason: null, token_ids: null },
      ],
      usage: USAGE,
    };
  },

  refusal: { error: { message: "Slow down", type: "TooManyRequests", param: null, code: 429 } },

  asked: (body) => ({ items: body.messages, before: undefined }),

  // No server holds the history of this dialect.
  answered: () => ({ key: undefined, items: [] }),

  entries: (messages) => messages.flatMap(entriesOf),
};

const CREATED = 1_785_312_000;
const USAGE = { prompt_tokens: 412, total_tokens: 470, completion_tokens: 58 };

/** @param {unknown[]} calls */
const finishReason = (calls) => (calls.length > 0 ? "tool_calls" : "stop");

/** @param {import("../server.js").WireCall} call @param {object} [index] */
const toolCall = ({ id, name, args }, index) => ({
  id,
  type: "function",
  ...index,
  function: { name, arguments: args },
});

/** @param {any} message @returns {Entry[]} */
function entriesOf({ role, content, tool_calls = [], tool_call_id }) {
  if (role === "tool")
    return [{ kind: "result", id: tool_call_id, text: JSON.stringify(content ?? "") }];
  return [
    { kind: "break" },
    ...(tool_calls ?? []).map((/** @type {any} */ { id, function: asked }) => ({
      kind: "call",
      id,
      name: asked.name,
      input: JSON.parse(asked.arguments),
    })),
  ];
}
