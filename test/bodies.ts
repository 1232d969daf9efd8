import { ChatEventStream, type ChatStreamEvent, type ToolCallStreamOptions } from "../src/index.ts";

/** A body that gives these chunks, one for each pull, and then ends, or fails. */
export function bodyOf(
  chunks: Iterable<Uint8Array | string>,
  failure?: Error,
): ReadableStream<Uint8Array | string> {
  const iterator = chunks[Symbol.iterator]();
  return new ReadableStream<Uint8Array | string>(
    {
      pull(controller) {
        const next = iterator.next();
        if (next.done !== true) controller.enqueue(next.value);
        else if (failure === undefined) controller.close();
        else controller.error(failure);
      },
    },
    { highWaterMark: 0 },
  );
}

/** Everything that comes out of a stream, and what it raised. */
export async function readAll<T>(
  stream: ReadableStream<T>,
): Promise<{ values: T[]; error: unknown }> {
  const values: T[] = [];
  const reader = stream.getReader();
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { values, error: undefined };
      values.push(value);
    }
  } catch (error) {
    return { values, error };
  }
}

/** All events of a body, what the stream raised, and the completion at the end. */
export async function readEvents(
  chunks: Iterable<Uint8Array | string>,
  options?: ToolCallStreamOptions,
) {
  const stream = new ChatEventStream(options);
  const { values, error } = await readAll<ChatStreamEvent>(bodyOf(chunks).pipeThrough(stream));
  return { events: values, error, completion: stream.snapshot() };
}

/** The bytes of a text in which DEL stands for a byte that is not UTF-8. */
export function brokenBytes(text: string): Uint8Array {
  return new TextEncoder().encode(text).map((byte) => (byte === 0x7f ? 0xff : byte));
}

/** The body of an event stream with these payloads. */
export function sse(...payloads: unknown[]): string {
  return payloads
    .map((payload) => (typeof payload === "string" ? payload : JSON.stringify(payload)))
    .map((data) => `data: ${data}\n\n`)
    .join("");
}
