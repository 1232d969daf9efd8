import { ToolCallStreamError } from "../errors.ts";
import type { ResponseReader } from "../response/response-reader.ts";
import type { ChatStreamEvent, Completion } from "../types.ts";
import { IterableReadableStream } from "./iterable.ts";

/**
 * A TransformStream that loses no value to a later error.
 *
 * A plain one discards its queue when `transform` throws, and when its source fails, since `pipeTo`
 * aborts the writable side. Here the values wait in an array of our own, and the platform queues only
 * ticks. The readable that users see gets the array first. When it asks again, it is told how the
 * response ended: it then holds nothing that an error could discard.
 */
export class LosslessStream<Output, Input> extends TransformStream<Uint8Array | string, Output> {
  #reader: ResponseReader<Input>;
  #readable: ReadableStream<Output>;
  #completion: Promise<Completion<Input>>;

  constructor(
    reader: ResponseReader<Input>,
    valuesOf: (events: ChatStreamEvent<Input>[]) => Output[],
  ) {
    /** The values that have not been handed to the platform yet, in order. */
    let values: Output[] = [];
    const add = (events: ChatStreamEvent<Input>[]): void => {
      for (const value of valuesOf(events)) values.push(value);
    };

    super({
      transform(chunk, controller) {
        add(reader.push(chunk));
        // A tick: a promise of values, without one. workerd throws when there is no argument.
        if (values.length > 0 || reader.isEnded) controller.enqueue(undefined);
      },
      flush() {
        add(reader.end());
      },
    });

    let resolve!: (completion: Completion<Input>) => void;
    let reject!: (reason: unknown) => void;
    // Promise.withResolvers is missing in Node 20.
    const promise = new Promise<Completion<Input>>((onResolve, onReject) => {
      resolve = onResolve;
      reject = onReject;
    });
    // Who does not await it must not be told of an unhandled rejection.
    promise.catch(ignore);
    const ticks = super.readable.getReader();
    /** What the source failed with, whatever that is: it passes as it is. */
    let sourceFailure: { reason: unknown } | undefined;

    this.#reader = reader;
    this.#completion = promise;
    this.#readable = new IterableReadableStream<Output>(
      {
        async pull(controller) {
          while (values.length === 0 && !reader.isEnded) {
            try {
              const { done } = await ticks.read();
              // Done before its response has ended: cancelled.
              if (done && !reader.isEnded) return;
            } catch (reason) {
              sourceFailure = { reason };
              add(reader.abort());
            }
          }
          if (values.length > 0) {
            for (const value of values) controller.enqueue(value);
            values = [];
            return;
          }
          const failure = sourceFailure ?? (reader.error && { reason: reader.error });
          if (failure === undefined) {
            controller.close();
            resolve(reader.snapshot());
            // The server may have more to say, or hold the connection: read and dropped.
            drain(ticks);
            return;
          }
          controller.error(failure.reason);
          reject(failure.reason);
          ticks.cancel(failure.reason).catch(ignore);
        },
        cancel(reason) {
          const message = "Cannot complete response: its reader was cancelled";
          reject(new ToolCallStreamError("cancelled", message, { cause: reason }));
          return ticks.cancel(reason);
        },
      },
      { highWaterMark: 0 },
    );
  }

  /**
   * The values, each as soon as it is there. Always the same object. After the last value it closes, or
   * raises the error of the response.
   */
  override get readable(): ReadableStream<Output> {
    return this.#readable;
  }

  /**
   * The completion, once the readable has been read to its end: the promise itself reads nothing.
   * Rejects with the error of the stream, and with code `cancelled` when the reader cancels. Nobody has
   * to await it.
   */
  get completion(): Promise<Completion<Input>> {
    return this.#completion;
  }

  /** The completion so far: at any time, also after an error. */
  snapshot(): Completion<Input> {
    return this.#reader.snapshot();
  }
}

async function drain(ticks: ReadableStreamDefaultReader<unknown>): Promise<void> {
  try {
    while (!(await ticks.read()).done);
  } catch {
    // The source failed when nobody was waiting for it any more.
  }
}

function ignore(): void {}
