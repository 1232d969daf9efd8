// @ts-check
// A response in each dialect, as its servers write it: what stays from event to event, and what does not.

/**
 * What a response says.
 *
 * @typedef {object} Script
 * @property {string[]} reasoning in pieces
 * @property {string[]} content in pieces
 * @property {{ id: string, name: string, pieces: string[] }[]} calls
 * @property {boolean} [isInterleaved] whether the pieces of calls alternate
 * @property {"obfuscation" | "p"} [padding] the field of random length that each event of chat has
 */

/** @typedef {{ id: (length: number) => string, below: (limit: number) => number }} Chance */

/** @type {Record<"chat" | "messages" | "responses", (script: Script, chance: Chance) => string[]>} */
export const EVENTS_OF = { chat, messages, responses };

/** @param {Script} script @param {Chance} chance */
function chat({ reasoning, content, calls, isInterleaved, padding }, chance) {
  /** @type {string[]} */
  const events = [];
  const common = {
    id: `chatcmpl-${chance.id(29)}`,
    object: "chat.completion.chunk",
    created: 1_767_225_600,
    model: "moonshotai/Kimi-K3",
    system_fingerprint: "fp_44709d6fcb",
  };
  const send = (/** @type {unknown[]} */ choices, /** @type {object} */ rest = {}) => {
    const padded = padding && { [padding]: chance.id(1 + chance.below(16)) };
    events.push(`data: ${JSON.stringify({ ...common, choices, ...rest, ...padded })}\n\n`);
  };
  const sendDelta = (/** @type {object} */ delta, /** @type {string | null} */ reason = null) =>
    send([{ index: 0, delta, logprobs: null, finish_reason: reason }]);

  sendDelta({ role: "assistant", content: "" });
  for (const piece of reasoning) sendDelta({ reasoning_content: piece });
  for (const piece of content) sendDelta({ content: piece });
  const deltasOfCalls = calls.map(({ id, name, pieces }, index) => [
    { index, id, type: "function", function: { name, arguments: "" } },
    ...pieces.map((piece) => ({ index, function: { arguments: piece } })),
  ]);
  for (const delta of isInterleaved ? interleaved(deltasOfCalls) : deltasOfCalls.flat()) {
    sendDelta({ tool_calls: [delta] });
  }
  sendDelta({}, calls.length > 0 ? "tool_calls" : "stop");
  send([], { usage: { prompt_tokens: 1200, completion_tokens: 800, total_tokens: 2000 } });
  return [...events, "data: [DONE]\n\n"];
}

/** @param {Script} script @param {Chance} chance */
function messages({ reasoning, content, calls }, chance) {
  /** @type {string[]} */
  const events = [];
  const send = (/** @type {{ type: string, [field: string]: unknown }} */ payload) => {
    // Anthropic puts a random number of spaces before the last brace.
    const text = `${JSON.stringify(payload).slice(0, -1)}${" ".repeat(chance.below(16))}}`;
    events.push(`event: ${payload.type}\ndata: ${text}\n\n`);
  };
  let index = 0;
  const sendBlock = (
    /** @type {object} */ block,
    /** @type {string[]} */ pieces,
    /** @type {(piece: string) => object} */ deltaOf,
  ) => {
    send({ type: "content_block_start", index, content_block: block });
    for (const piece of pieces) send({ type: "content_block_delta", index, delta: deltaOf(piece) });
    send({ type: "content_block_stop", index });
    index += 1;
  };

  const usage = { input_tokens: 1200, output_tokens: 1, service_tier: "standard" };
  const facts = {
    model: "claude-sonnet-4-5-20250929",
    stop_reason: null,
    stop_sequence: null,
    usage,
  };
  const message = { id: `msg_01${chance.id(22)}`, type: "message", role: "assistant", content: [] };
  send({ type: "message_start", message: { ...message, ...facts } });
  if (reasoning.length > 0) {
    sendBlock({ type: "thinking", thinking: "", signature: "" }, reasoning, (thinking) => ({
      type: "thinking_delta",
      thinking,
    }));
  }
  if (content.length > 0) {
    sendBlock({ type: "text", text: "" }, content, (text) => ({ type: "text_delta", text }));
  }
  for (const { id, name, pieces } of calls) {
    sendBlock({ type: "tool_use", id, name, input: {} }, pieces, (piece) => ({
      type: "input_json_delta",
      partial_json: piece,
    }));
  }
  const reason = calls.length > 0 ? "tool_use" : "end_turn";
  send({ type: "message_delta", delta: { stop_reason: reason }, usage: { output_tokens: 800 } });
  send({ type: "message_stop" });
  return events;
}

/** @param {Script} script @param {Chance} chance */
function responses({ reasoning, content, calls }, chance) {
  /** @type {string[]} */
  const events = [];
  const send = (/** @type {string} */ kind, /** @type {object} */ fields) => {
    const type = `response.${kind}`;
    const payload = { type, sequence_number: events.length, ...fields };
    events.push(`event: ${type}\ndata: ${JSON.stringify(payload)}\n\n`);
  };
  /** @type {object[]} */
  const output = [];
  const sendItem = (
    /** @type {Record<string, unknown>} */ item,
    /** @type {string} */ kind,
    /** @type {string[]} */ pieces,
    /** @type {(text: string) => object} */ wholeOf,
  ) => {
    const place = { item_id: item["id"], output_index: output.length };
    send("output_item.added", { output_index: output.length, item });
    for (const delta of pieces) {
      send(`${kind}.delta`, { ...place, delta, obfuscation: chance.id(1 + chance.below(16)) });
    }
    const whole = { ...item, status: "completed", ...wholeOf(pieces.join("")) };
    send("output_item.done", { output_index: output.length, item: whole });
    output.push(whole);
  };

  const response = { id: `resp_${chance.id(48)}`, object: "response", model: "gpt-5" };
  send("created", { response: { ...response, status: "in_progress", output: [] } });
  if (reasoning.length > 0) {
    const item = { id: `rs_${chance.id(48)}`, type: "reasoning", content: [] };
    sendItem(item, "reasoning_text", reasoning, (text) => ({
      content: [{ type: "reasoning_text", text }],
    }));
  }
  if (content.length > 0) {
    const item = { id: `msg_${chance.id(48)}`, type: "message", role: "assistant", content: [] };
    sendItem(item, "output_text", content, (text) => ({
      content: [{ type: "output_text", annotations: [], text }],
    }));
  }
  for (const { id, name, pieces } of calls) {
    const item = { id: `fc_${chance.id(48)}`, type: "function_call", call_id: id, name };
    sendItem({ ...item, arguments: "" }, "function_call_arguments", pieces, (text) => ({
      arguments: text,
    }));
  }
  send("completed", { response: { ...response, status: "completed", output } });
  return events;
}

/**
 * The first of each list, the second of each, and so on.
 *
 * @template T
 * @param {T[][]} lists
 * @returns {T[]}
 */
function interleaved(lists) {
  const length = Math.max(...lists.map((list) => list.length));
  return Array.from({ length }, (_, position) =>
    lists.flatMap((list) => list.slice(position, position + 1)),
  ).flat();
}
