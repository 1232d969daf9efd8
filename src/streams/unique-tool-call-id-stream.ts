import { LosslessTransform } from "./lossless-transform.ts";
import { IdRewriter } from "../wire/id-rewriter.ts";
import { resolveWireOptions, type UniqueToolCallIdOptions } from "../wire/wire-options.ts";

/**
 * The bytes of one response in, the same bytes out, except for the ids of its tool calls: each call has
 * a fresh one, the same wherever the response names it. For clients that cannot be changed.
 *
 * - No other byte changes: comments, spacing, the order of keys, numbers and unknown fields pass as they
 *   came. The only text that is added is an id where a call has none.
 * - An event is passed on as soon as it is whole. Text that cannot be read, or an event longer than
 *   `maxEventLength`, passes as it is.
 * - An id belongs to the same call as in {@link ToolCallStream}. Calls with equal ids, names and
 *   arguments are not merged: ids go out before arguments.
 * - In Responses, the items of the last event may have other ids than the streamed items. They get the
 *   streamed ids: clients match items by both.
 *
 * Event streams and JSON bodies alike. One instance is for one response.
 *
 * @example A proxy in two lines
 * ```ts
 * const body = upstream.body.pipeThrough(new UniqueToolCallIdStream());
 * return new Response(body, { headers: { "content-type": "text/event-stream" } });
 * ```
 */
export class UniqueToolCallIdStream extends LosslessTransform<Uint8Array, Uint8Array> {
  /** @throws TypeError or RangeError when an option is of the wrong type or out of range */
  constructor(options: UniqueToolCallIdOptions = {}) {
    const rewriter = new IdRewriter(resolveWireOptions(options));
    super(
      {
        push: (chunk) => listOf(rewriter.push(chunk)),
        end: () => listOf(rewriter.end()),
        // A body that breaks off passes to its last byte.
        abort: () => listOf(rewriter.end()),
        isEnded: false,
        error: undefined,
      },
      () => {},
    );
  }
}

function listOf(bytes: Uint8Array): Uint8Array[] {
  return bytes.length > 0 ? [bytes] : [];
}
