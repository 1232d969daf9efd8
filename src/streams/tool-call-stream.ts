import { resolveOptions, type ToolCallStreamOptions } from "../options.ts";
import { ResponseReader } from "../response/response-reader.ts";
import type { ChatStreamEvent, ToolCall } from "../types.ts";
import { ResponseStream } from "./response-stream.ts";

/**
 * The bytes of one streamed response in, its finished tool calls out, each the moment it is
 * complete, with a fresh id.
 *
 * 1. **Cuts do not matter**: however the bytes are cut into chunks, the output is the same, errors
 *    included.
 * 2. **Nothing early, nothing late**: a complete call's arguments are never a proper prefix of a
 *    valid JSON text that the model sent, and it is emitted with the event that completes it.
 * 3. **Nothing lost**: every call the response names comes out once, complete or incomplete; a
 *    later error never removes one.
 * 4. **Nothing twice**: no call is emitted again, whatever follows.
 * 5. **Ids are unique**: over all calls of all streams; the same in events, call, message and
 *    result.
 * 6. **Interleaving does not matter**: for calls with distinct indices, any order-preserving merge
 *    of their deltas gives the same calls, position and emission order aside; nor does it matter how
 *    arguments are split into fragments.
 * 7. **Noise does not matter**: comments, unknown fields, empty deltas, usage and keep-alives change
 *    nothing.
 * 8. **Linear**: work (characters inspected, counted, not timed) and memory grow with the bytes, and
 *    memory stays under the limits whatever the server sends.
 *
 * An error of the response or of its source is raised after every call has been delivered; open calls
 * come out incomplete. One instance reads one response. To transfer it to a worker, transfer its
 * `readable`.
 *
 * @example Run each tool as soon as its call is complete
 * ```ts
 * for await (const call of response.body.pipeThrough(new ToolCallStream())) {
 *   console.log(call.id, call.name, call.input);
 * }
 * ```
 */
export class ToolCallStream<Input = unknown> extends ResponseStream<ToolCall<Input>, Input> {
  /** @throws TypeError or RangeError when an option is of the wrong type or out of range */
  constructor(options: ToolCallStreamOptions<Input> = {}) {
    super(new ResponseReader(resolveOptions(options), true), callsOf);
  }
}

/** Asked for calls only, the reader gives no other events. */
function callsOf<Input>(events: ChatStreamEvent<Input>[]): ToolCall<Input>[] {
  return (events as Extract<ChatStreamEvent<Input>, { call: unknown }>[]).map(({ call }) => call);
}
