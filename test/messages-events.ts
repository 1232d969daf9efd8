/** The start of a message. */
export const messageStart = (message: object = {}): object => ({
  type: "message_start",
  message: { id: "msg_1", type: "message", role: "assistant", content: [], ...message },
});

export const blockStart = (index: unknown, block: object): object => ({
  type: "content_block_start",
  index,
  content_block: block,
});

/** The start of a call; its id is `id_` and its name. */
export const toolStart = (index: unknown, name: string, rest: object = {}): object =>
  blockStart(index, { type: "tool_use", id: `id_${name}`, name, input: {}, ...rest });

export const blockDelta = (index: unknown, delta: object): object => ({
  type: "content_block_delta",
  index,
  delta,
});

/** A fragment of the input of a tool. */
export const input = (index: unknown, fragment: unknown): object =>
  blockDelta(index, { type: "input_json_delta", partial_json: fragment });

export const text = (index: unknown, piece: unknown): object =>
  blockDelta(index, { type: "text_delta", text: piece });

export const thinking = (index: unknown, piece: unknown): object =>
  blockDelta(index, { type: "thinking_delta", thinking: piece });

export const blockStop = (index: unknown): object => ({ type: "content_block_stop", index });

/** A call in one fragment, and its stop. */
export const whole = (index: unknown, name: string, fragment: string): object[] => [
  toolStart(index, name),
  input(index, fragment),
  blockStop(index),
];

export const stopReason = (reason: string | null, rest: object = {}): object => ({
  type: "message_delta",
  delta: { stop_reason: reason, stop_sequence: null },
  ...rest,
});

export const messageStop = { type: "message_stop" };

/** A normal end of a message. */
export const ending = [stopReason("tool_use"), messageStop];
