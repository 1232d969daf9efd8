import { IterableReadableStream } from "./iterable.ts";

/** What a stream asks of the synchronous core, one chunk at a time. */
export interface Steps<Value> {
  /** @throws what both sides of the stream then fail with */
  push(chunk: unknown): readonly Value[];
  /** The source has ended. */
  end(): readonly Value[];
  /** The source has failed. */
  abort(): readonly Value[];
  /** Whether no more values come, though the source may have more. */
  readonly isEnded: boolean;
  /** What the stream fails with, once no more values come. */
  readonly error: unknown;
}

/** How a stream ended: `undefined` if it failed not. */
export type Failure = { readonly reason: unknown } | undefined;

/**
 * A TransformStream that loses no value to a later error.
 *
 * A plain one discards its queue when `transform` throws, and when its source fails, since `pipeTo`
 * aborts the writable side. Here the reader gets every value first. When it asks again, it is told how
 * the stream ended: the queue is then empty, and an error discards nothing.
 */
export class LosslessTransform<Chunk, Value> extends TransformStream<Chunk, Value> {
  #readable: ReadableStream<Value>;
  #writable: WritableStream<Chunk>;

  /** @param onOver is told how it ended, when the reader is, and of a reader that cancels */
  constructor(steps: Steps<Value>, onOver: (failure: Failure, isCancelled: boolean) => void) {
    super();
    let output!: ReadableStreamDefaultController<Value>;
    let input!: WritableStreamDefaultController;
    /** Whether the reader waits for a value. */
    let isWanted = false;
    /** Lets the chunk go on that waits for a reader. */
    let wake = ignore;
    let isOver = false;
    let failure: Failure;

    const tell = (): void => {
      if (failure === undefined) output.close();
      else {
        output.error(failure.reason);
        input.error(failure.reason);
      }
      onOver(failure, false);
    };
    const conclude = (by: Failure): void => {
      if (isOver) return;
      isOver = true;
      failure = by ?? (steps.error === undefined ? undefined : { reason: steps.error });
      if (isWanted) tell();
    };
    const give = (values: readonly Value[]): void => {
      if (values.length === 0) return;
      // Before the values: each may make the reader ask for the next one.
      isWanted = false;
      for (const value of values) output.enqueue(value);
    };
    const take = (chunk: Chunk): void => {
      // The server may have more to say, or hold the connection: read and dropped.
      if (isOver) return;
      try {
        give(steps.push(chunk));
      } catch (reason) {
        give(steps.abort());
        conclude({ reason });
      }
      if (steps.isEnded) conclude(undefined);
    };

    this.#readable = new IterableReadableStream<Value>(
      {
        start(controller) {
          output = controller;
        },
        pull() {
          if (isOver) return tell();
          isWanted = true;
          wake();
        },
        cancel(reason) {
          isOver = true;
          input.error(reason);
          wake();
          onOver({ reason }, true);
        },
      },
      { highWaterMark: 0 },
    );
    this.#writable = new WritableStream<Chunk>({
      start(controller) {
        input = controller;
      },
      write(chunk) {
        if (isWanted || isOver) return take(chunk);
        return new Promise<void>((resolve) => {
          wake = () => {
            wake = ignore;
            take(chunk);
            resolve();
          };
        });
      },
      close() {
        if (!isOver) give(steps.end());
        conclude(undefined);
      },
      abort(reason) {
        if (!isOver) give(steps.abort());
        conclude({ reason });
      },
    });
  }

  /**
   * The values, each as soon as it is there. Always the same object. After the last value it closes, or
   * raises the error of the response.
   */
  override get readable(): ReadableStream<Value> {
    return this.#readable;
  }

  /** Takes the chunks, no faster than the values are read. */
  override get writable(): WritableStream<Chunk> {
    return this.#writable;
  }
}

function ignore(): void {}
