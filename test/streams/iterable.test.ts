import { afterEach, expect, test } from "vitest";
import { IterableReadableStream } from "../../src/streams/iterable.ts";

const native = Object.getOwnPropertyDescriptor(ReadableStream.prototype, Symbol.asyncIterator);

/** Stands in for Safari before 27, which has no async iteration of streams. */
function removeNative(): void {
  Reflect.deleteProperty(ReadableStream.prototype, Symbol.asyncIterator);
}

afterEach(() => {
  if (native !== undefined) {
    Object.defineProperty(ReadableStream.prototype, Symbol.asyncIterator, native);
  }
});

function streamOf(values: number[], log: unknown[], failure?: Error) {
  return new IterableReadableStream<number>(
    {
      pull(controller) {
        const value = values.shift();
        if (value !== undefined) controller.enqueue(value);
        else if (failure === undefined) controller.close();
        else controller.error(failure);
      },
      cancel() {
        log.push("cancelled");
      },
    },
    { highWaterMark: 0 },
  );
}

const platforms = [
  { platform: "the platform's iterator", prepare: () => {} },
  { platform: "a platform without one", prepare: removeNative },
];

test.each(platforms)("for await reads to the end, with $platform", async ({ prepare }) => {
  prepare();
  const log: unknown[] = [];
  const stream = streamOf([1, 2], log);
  for await (const value of stream) log.push(value);
  expect(log).toEqual([1, 2]);
  expect(stream.locked).toBe(false);
});

test.each(platforms)("leaving the loop cancels, with $platform", async ({ prepare }) => {
  prepare();
  const log: unknown[] = [];
  const stream = streamOf([1, 2], log);
  for await (const value of stream) {
    log.push(value);
    break;
  }
  expect(log).toEqual([1, "cancelled"]);
  expect(stream.locked).toBe(false);
});

test.each(platforms)(
  "preventCancel leaves the stream as it is, with $platform",
  async ({ prepare }) => {
    prepare();
    const log: unknown[] = [];
    const stream = streamOf([1, 2], log);
    const iterator = stream[Symbol.asyncIterator]({ preventCancel: true });
    log.push((await iterator.next()).value);
    await iterator.return?.();
    expect(log).toEqual([1]);
    expect(stream.locked).toBe(false);
  },
);

test.each(platforms)(
  "an error of the stream reaches the loop, with $platform",
  async ({ prepare }) => {
    prepare();
    const log: unknown[] = [];
    const failure = new Error("reset");
    const stream = streamOf([1], log, failure);
    const loop = async () => {
      for await (const value of stream) log.push(value);
    };
    await expect(loop()).rejects.toBe(failure);
    expect(log).toEqual([1]);
  },
);
