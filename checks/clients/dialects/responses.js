// OpenAI responses as vLLM sends them, without its reasoning, whose shape the SDK of OpenAI refuses.

import { hex } from "../hex.js";

/** @import { Dialect, Entry, Reply, WireCall } from "../server.js" */

/** @type {Dialect} */
export const responses = {
  path: "/v1/responses",

  stream(reply) {
    const output = outputOf(reply);
    const started = { ...this.json(reply), output: [], status: "in_progress", usage: null };
    const closing = reply.closing === undefined ? output : outputOf(reply.closing);
    const completed = { ...this.json(reply), output: closing };
    const events = [
      { response: started, type: "response.created" },
      { response: started, type: "response.in_progress" },
      ...output.flatMap((item, output_index) =>
        itemEvents(item).map((event) => Object.assign(event, { output_index })),
      ),
      { response: completed, type: "response.completed" },
    ];
    return events
      .map((event, sequence_number) => JSON.stringify({ ...event, sequence_number }))
      .map((data, index) => `event: ${events[index]?.type}\ndata: ${data}\n\n`)
      .join("");
  },

  json: (reply) => ({
    id: keyOf(reply),
    created_at: 1_785_312_000,
    incomplete_details: null,
    instructions: null,
    metadata: null,
    model: reply.model,
    object: "response",
    output: outputOf(reply),
    parallel_tool_calls: true,
    temperature: 1,
    tool_choice: "auto",
    tools: [],
    top_p: 1,
    status: "completed",
    usage: {
      input_tokens: 412,
      input_tokens_details: { cached_tokens: 0 },
      output_tokens: 58,
      output_tokens_details: { reasoning_tokens: 0 },
      total_tokens: 470,
    },
  }),

  refusal: { error: { message: "Slow down", type: "TooManyRequests", param: null, code: 429 } },

  asked: ({ input, previous_response_id, conversation }) => ({
    items: typeof input === "string" ? [{ role: "user", content: input }] : input,
    before: previous_response_id ?? conversation?.id ?? conversation ?? undefined,
  }),

  answered: (reply, { conversation }) => ({
    key: conversation?.id ?? conversation ?? keyOf(reply),
    // What it holds is the response that it closed with.
    items: outputOf(reply.closing ?? reply),
  }),

  entries: (history) => history.flatMap(entryOf),
};

/** @param {Reply} reply */
const keyOf = ({ id }) => `resp_${id}`;

/** @type {WeakMap<object, any[]>} */
const outputs = new WeakMap();

/** @param {Pick<Reply, "calls" | "text">} reply @returns {any[]} the same items, however often */
function outputOf(reply) {
  const made = outputs.get(reply);
  if (made !== undefined) return made;
  const output = [
    ...(reply.text === undefined ? [] : [messageItem(reply.text)]),
    ...reply.calls.map(callItem),
  ];
  outputs.set(reply, output);
  return output;
}

/** @param {string} text */
const messageItem = (text) => ({
  id: `msg_${hex()}`,
  content: [{ annotations: [], text, type: "output_text", logprobs: null }],
  role: "assistant",
  status: "completed",
  type: "message",
});

/** @param {WireCall} call */
const callItem = ({ id, name, args }) => ({
  arguments: args,
  call_id: id,
  name,
  type: "function_call",
  id: `fc_${hex()}`,
  status: "completed",
});

/** @param {any} item @returns {{ type: string, [field: string]: unknown }[]} */
function itemEvents(item) {
  const of = { item_id: item.id };
  const done = { item, type: "response.output_item.done" };
  if (item.type === "function_call")
    return [
      {
        item: { ...item, arguments: "", status: "in_progress" },
        type: "response.output_item.added",
      },
      { delta: item.arguments, ...of, type: "response.function_call_arguments.delta" },
      {
        arguments: item.arguments,
        ...of,
        name: item.name,
        type: "response.function_call_arguments.done",
      },
      done,
    ];
  const [part] = item.content;
  const at = { ...of, content_index: 0 };
  return [
    { item: { ...item, content: [], status: "in_progress" }, type: "response.output_item.added" },
    { ...at, part: { ...part, text: "" }, type: "response.content_part.added" },
    { ...at, delta: part.text, logprobs: [], type: "response.output_text.delta" },
    { ...at, text: part.text, logprobs: [], type: "response.output_text.done" },
    { ...at, part, type: "response.content_part.done" },
    done,
  ];
}

/** @param {any} item @returns {Entry[]} */
function entryOf(item) {
  if (item.type === "function_call")
    return [{ kind: "call", id: item.call_id, name: item.name, input: JSON.parse(item.arguments) }];
  if (item.type === "function_call_output")
    return [{ kind: "result", id: item.call_id, text: JSON.stringify(item.output) }];
  return item.role === undefined ? [] : [{ kind: "break" }];
}
