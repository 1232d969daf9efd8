// Anthropic messages as vLLM sends them for Kimi K3, and the type and the role of the message
// beside them: without the role, the tool runner of the SDK stops after its first turn.

/** @import { Dialect, Entry, Reply } from "../server.js" */

/** @type {Dialect} */
export const messages = {
  path: "/v1/messages",

  stream(reply) {
    const started = { ...this.json(reply), content: [], stop_reason: null };
    const usage = { input_tokens: 412, output_tokens: 58 };
    const events = [
      { type: "message_start", message: { ...started, usage: { ...usage, output_tokens: 0 } } },
      ...contentOf(reply).flatMap(blockEvents),
      { type: "message_delta", delta: { stop_reason: stopReason(reply) }, usage },
      { type: "message_stop" },
    ];
    return events.map((data) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`).join("");
  },

  json(reply) {
    return {
      id: keyOf(reply),
      type: "message",
      role: "assistant",
      content: contentOf(reply),
      model: reply.model,
      stop_reason: stopReason(reply),
      stop_sequence: null,
      usage: { input_tokens: 412, output_tokens: 58 },
    };
  },

  refusal: { type: "error", error: { type: "rate_limit_error", message: "Slow down" } },

  asked: (body) => ({ items: body.messages, before: body.thread?.previous_message_id }),

  answered: (reply) => ({
    key: keyOf(reply),
    items: [{ role: "assistant", content: contentOf(reply) }],
  }),

  entries: (history) => history.flatMap(entriesOf),
};

/** @param {Reply} reply */
const keyOf = ({ id }) => `chatcmpl-${id}`;

/** @param {Reply} reply */
const stopReason = ({ calls }) => (calls.length > 0 ? "tool_use" : "end_turn");

/** @param {any} block @param {number} index @returns {{ type: string, index: number }[]} */
function blockEvents(block, index) {
  const content_block = { ...block, ...EMPTY[block.type] };
  const deltas = deltasOf(block).map((delta) => ({ type: "content_block_delta", delta, index }));
  const started = { type: "content_block_start", content_block, index };
  return [started, ...deltas, { type: "content_block_stop", index }];
}

/** What of a block comes in its deltas. @type {Record<string, object>} */
const EMPTY = { thinking: { thinking: "" }, text: { text: "" }, tool_use: { input: {} } };

/** @param {Reply} reply @returns {any[]} */
function contentOf({ id, calls, text }) {
  return [
    { type: "thinking", thinking: "The user asks.", signature: id },
    ...(text === undefined ? [] : [{ type: "text", text }]),
    ...calls.map((call) => ({
      type: "tool_use",
      id: call.id,
      name: call.name,
      input: JSON.parse(call.args),
    })),
  ];
}

/** @param {any} block @returns {object[]} */
function deltasOf({ type, thinking, signature, text, input }) {
  if (type === "text") return [{ type: "text_delta", text }];
  if (type === "tool_use")
    return [{ type: "input_json_delta", partial_json: JSON.stringify(input) }];
  return [
    { type: "thinking_delta", thinking },
    { type: "signature_delta", signature },
  ];
}

/** @param {any} message @returns {Entry[]} */
function entriesOf({ role, content }) {
  const blocks = typeof content === "string" ? [{ type: "text" }] : content;
  /** @type {Entry[]} */
  const entries = role === "assistant" ? [{ kind: "break" }] : [];
  for (const block of blocks) {
    if (block.type === "tool_use")
      entries.push({ kind: "call", id: block.id, name: block.name, input: block.input });
    else if (block.type === "tool_result")
      entries.push({
        kind: "result",
        id: block.tool_use_id,
        text: JSON.stringify(block.content ?? ""),
      });
    else if (role === "user") entries.push({ kind: "break" });
  }
  return entries;
}
