import { createParser } from "eventsource-parser";

/**
 * The floor: the least that reads calls from a response with the platform's own parts, in one
 * TransformStream. `TextDecoder`, `createParser`, `JSON.parse` of every event, `+=`, and one
 * `JSON.parse` of the arguments at the end.
 *
 * It does not do what the library is for: it emits nothing before the end, keeps no text, mints no
 * ids, checks nothing, and fails on most of what real servers send.
 *
 * @extends {TransformStream<Uint8Array, { id: string, name: string, arguments: string, input: unknown }>}
 */
export class FloorStream extends TransformStream {
  constructor() {
    /** @type {{ id: string, name: string, arguments: string, input: unknown }[]} */
    const calls = [];
    const decoder = new TextDecoder();
    const parser = createParser({
      onEvent({ data }) {
        if (data === "[DONE]") return;
        const deltas = JSON.parse(data).choices[0]?.delta.tool_calls;
        if (deltas === undefined) return;
        for (const { index, id, function: body } of deltas) {
          const call = (calls[index] ??= { id, name: body.name, arguments: "", input: undefined });
          call.arguments += body.arguments;
        }
      },
    });
    super({
      transform(chunk) {
        parser.feed(decoder.decode(chunk, { stream: true }));
      },
      flush(controller) {
        for (const call of calls) {
          call.input = JSON.parse(call.arguments);
          controller.enqueue(call);
        }
      },
    });
  }
}
