import type { Readable } from "node:stream";

/**
 * The chunks of a Node stream as a web stream that holds none of them. `Readable.toWeb` reads ahead, in
 * Node 20 without a limit in bytes: a slow reader would not slow the source down.
 */
export function webBodyOf(source: Readable): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks: AsyncIterator<Uint8Array<ArrayBuffer>> = source[Symbol.asyncIterator]();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => void source.destroy(),
    },
    { highWaterMark: 0 },
  );
}
