// @ts-check

/**
 * A body that gives one chunk for each pull, as a network does.
 *
 * @param {Uint8Array[]} chunks
 * @returns {ReadableStream<Uint8Array>}
 */
export function bodyOf(chunks) {
  let position = 0;
  return new ReadableStream(
    {
      pull(controller) {
        const chunk = chunks[position];
        position += 1;
        if (chunk === undefined) controller.close();
        else controller.enqueue(chunk);
      },
    },
    { highWaterMark: 0 },
  );
}

/**
 * Reads chunks through a stream to its end.
 *
 * @template T
 * @param {Uint8Array[]} chunks
 * @param {TransformStream<Uint8Array, T>} stream
 * @returns {Promise<T[]>}
 */
export async function readThrough(chunks, stream) {
  const reader = bodyOf(chunks).pipeThrough(stream).getReader();
  const values = [];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return values;
    values.push(value);
  }
}

/** @param {number[]} numbers */
export function median(numbers) {
  const sorted = numbers.slice().sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
