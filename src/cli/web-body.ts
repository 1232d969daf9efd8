import type { Readable } from "node:stream";

/**
 * The chunks of a Node stream as a web stream that holds none of them. `Readable.toWeb` reads ahead, in
 * Node 20 without a limit in bytes: a slow reader would not slow the source down.
 *
 * @param whenCancelled what to do with the source. The body of a request is drained: destroying it
 *   would cut the connection that the answer needs
 */
export function webBodyOf(
  source: Readable,
  whenCancelled: "destroy" | "drain" = "destroy",
): ReadableStream<Uint8Array<ArrayBuffer>> {
  const chunks: AsyncIterator<Uint8Array<ArrayBuffer>> = source[Symbol.asyncIterator]();
  return new ReadableStream(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done === true) controller.close();
        else controller.enqueue(value);
      },
      cancel() {
        if (whenCancelled === "destroy") source.destroy();
        else drain(chunks);
      },
    },
    { highWaterMark: 0 },
  );
}

async function drain(chunks: AsyncIterator<unknown>): Promise<void> {
  try {
    while ((await chunks.next()).done !== true);
  } catch {
    // The client has gone: nothing is left of its body.
  }
}
