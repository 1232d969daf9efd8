/** The type of a stream's iterator has another name in each runtime. */
type StreamIterator<T> = ReturnType<ReadableStream<T>[typeof Symbol.asyncIterator]>;

/** A ReadableStream that `for await` can read on every platform. */
export class IterableReadableStream<T> extends ReadableStream<T> {
  /** The platform's own iterator; in Safari before 27, an iterator made of a reader. */
  override [Symbol.asyncIterator](options?: ReadableStreamIteratorOptions): StreamIterator<T> {
    const native = ReadableStream.prototype[Symbol.asyncIterator];
    if (native !== undefined) return native.call(this, options) as StreamIterator<T>;
    return iterate(this.getReader(), options?.preventCancel ?? false);
  }
}

async function* iterate<T>(
  reader: ReadableStreamDefaultReader<T>,
  preventCancel: boolean,
): AsyncGenerator<T, undefined> {
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return undefined;
      yield value;
    }
  } finally {
    // After a break, return or throw, the body is not wanted any more. A body that is over cannot be
    // cancelled, and a body that has failed rejects this with its error again.
    const cancelled = preventCancel ? undefined : reader.cancel();
    reader.releaseLock();
    await cancelled;
  }
}
