import { ToolCallStreamError } from "../errors.ts";
import type { ResponseReader } from "../response/response-reader.ts";
import type { ChatStreamEvent, Completion } from "../types.ts";
import { LosslessTransform } from "./lossless-transform.ts";

/** One response: its chunks in, what is read of them out, and its completion beside. */
export class ResponseStream<Output, Input> extends LosslessTransform<Uint8Array | string, Output> {
  #reader: ResponseReader<Input>;
  #completion: Promise<Completion<Input>>;

  constructor(
    reader: ResponseReader<Input>,
    valuesOf: (events: ChatStreamEvent<Input>[]) => Output[],
  ) {
    let resolve!: (completion: Completion<Input>) => void;
    let reject!: (reason: unknown) => void;
    // Promise.withResolvers is missing in Node 20.
    const promise = new Promise<Completion<Input>>((onResolve, onReject) => {
      resolve = onResolve;
      reject = onReject;
    });
    // Who does not await it must not be told of an unhandled rejection.
    promise.catch(ignore);
    super(
      {
        push: (chunk) => valuesOf(reader.push(chunk)),
        end: () => valuesOf(reader.end()),
        abort: () => valuesOf(reader.abort()),
        get isEnded() {
          return reader.isEnded;
        },
        get error() {
          return reader.error;
        },
      },
      (failure, isCancelled) => {
        if (isCancelled) {
          const message = "Cannot complete response: its reader was cancelled";
          reject(new ToolCallStreamError("cancelled", message, { cause: failure?.reason }));
        } else if (failure === undefined) resolve(reader.snapshot());
        else reject(failure.reason);
      },
    );
    this.#reader = reader;
    this.#completion = promise;
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

function ignore(): void {}
