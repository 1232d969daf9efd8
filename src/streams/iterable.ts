/** What a stream's iterator is has another name in each runtime's types. */
type StreamIterator<T> = ReturnType<ReadableStream<T>[typeof Symbol.asyncIterator]>;

/** A ReadableStream that `for await` can read on every platform. */
export class IterableReadableStream<T> extends ReadableStream<T> {
  /** The platform's own iterator, or, in Safari before 27, one made of a reader. */
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
    // Left early, by break, return or throw, the body is not wanted any more; one that is over cannot
    // be cancelled, and one that has failed rejects this with its error again.
    const cancelled = preventCancel ? undefined : reader.cancel();
    reader.releaseLock();
    await cancelled;
  }
}
