import type { ToolCallStreamOptions } from "../options.ts";
import { ToolCallStream } from "./tool-call-stream.ts";
import type { Completion } from "../types.ts";

/**
 * Reads a response to its end, for callers that need nothing before.
 *
 * @returns the completion, its calls included
 * @throws the error of the stream; to keep the part before an error, read a {@link ToolCallStream}
 *   and ask it for a snapshot
 *
 * @example
 * ```ts
 * const { message, toolCalls } = await collect(response.body);
 * ```
 */
export async function collect<Input = unknown>(
  body: ReadableStream<Uint8Array> | ReadableStream<string>,
  options: ToolCallStreamOptions<Input> = {},
): Promise<Completion<Input>> {
  const stream = new ToolCallStream(options);
  const chunks: ReadableStream<Uint8Array | string> = body;
  const calls = chunks.pipeThrough(stream).getReader();
  while (!(await calls.read()).done);
  return stream.completion;
}
