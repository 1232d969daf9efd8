import { resolveOptions, type ToolCallStreamOptions } from "../options.ts";
import { ResponseReader } from "../response/response-reader.ts";
import type { ChatStreamEvent } from "../types.ts";
import { ResponseStream } from "./response-stream.ts";

/**
 * The bytes of one streamed response in, everything it says out, in wire order and one pass: text,
 * reasoning, calls as they grow and when they are complete, finish reasons, usage, diagnostics.
 *
 * It gives the guarantees of {@link ToolCallStream}, which is this stream reduced to its finished calls.
 * The fragments of a call, joined, are its arguments, unless they were repaired.
 *
 * @example Show text while it comes
 * ```ts
 * for await (const event of response.body.pipeThrough(new ChatEventStream())) {
 *   if (event.type === "text") process.stdout.write(event.text);
 * }
 * ```
 */
export class ChatEventStream<Input = unknown> extends ResponseStream<
  ChatStreamEvent<Input>,
  Input
> {
  /** @throws TypeError or RangeError when an option is of the wrong type or out of range */
  constructor(options: ToolCallStreamOptions<Input> = {}) {
    super(new ResponseReader(resolveOptions(options), false), (events) => events);
  }
}
