import { createParser } from "eventsource-parser";

/** @typedef {{ id: string, name: string, arguments: string, input: unknown }} FloorCall */

/**
 * What an event of each dialect says of calls, if one believes the server.
 *
 * @type {Record<import("./bodies.js").DialectName, (event: any, calls: FloorCall[]) => void>}
 */
const READERS = {
  chat({ choices }, calls) {
    const deltas = choices[0]?.delta.tool_calls;
    if (deltas === undefined) return;
    for (const { index, id, function: body } of deltas) {
      const call = (calls[index] ??= { id, name: body.name, arguments: "", input: undefined });
      call.arguments += body.arguments;
    }
  },
  messages({ type, index, delta, content_block: block }, calls) {
    if (type === "content_block_delta") {
      const call = delta.type === "input_json_delta" ? calls[index] : undefined;
      if (call !== undefined) call.arguments += delta.partial_json;
    } else if (type === "content_block_start" && block.type === "tool_use") {
      calls[index] = { id: block.id, name: block.name, arguments: "", input: undefined };
    }
  },
  responses({ type, output_index: index, delta, item }, calls) {
    if (type === "response.function_call_arguments.delta") {
      const call = calls[index];
      if (call !== undefined) call.arguments += delta;
    } else if (type === "response.output_item.added" && item.type === "function_call") {
      calls[index] = { id: item.call_id, name: item.name, arguments: "", input: undefined };
    }
  },
};

/**
 * The floor: the least that reads calls from a response with the platform's own parts, in one
 * TransformStream. `TextDecoder`, `createParser`, `JSON.parse` of every event, `+=`, and one
 * `JSON.parse` of the arguments at the end.
 *
 * It does not do what the library is for: it emits nothing before the end, keeps no text, mints no
 * ids, checks nothing, and fails on most of what real servers send.
 *
 * @extends {TransformStream<Uint8Array, FloorCall>}
 */
export class FloorStream extends TransformStream {
  /** @param {import("./bodies.js").DialectName} [dialect] */
  constructor(dialect = "chat") {
    /** @type {FloorCall[]} */
    const calls = [];
    const decoder = new TextDecoder();
    const read = READERS[dialect];
    const parser = createParser({
      onEvent({ data }) {
        if (data !== "[DONE]") read(JSON.parse(data), calls);
      },
    });
    super({
      transform(chunk) {
        parser.feed(decoder.decode(chunk, { stream: true }));
      },
      flush(controller) {
        for (const call of calls.filter(Boolean)) {
          call.input = JSON.parse(call.arguments);
          controller.enqueue(call);
        }
      },
    });
  }
}
