import { resolveOptions, type ToolCallStreamOptions } from "../options.ts";
import { Turn } from "./turn.ts";
import type { ChatEvent, Completion } from "../types.ts";

/**
 * The options of {@link ToolCallAssembler}. There is no `maxEventLength`: the caller parses the events
 * and limits them.
 */
export type ToolCallAssemblerOptions<Input = unknown> = Omit<
  ToolCallStreamOptions<Input>,
  "maxEventLength"
>;

/**
 * Assembles the tool calls of one response from chunks that someone else has parsed: the core of
 * the streams, synchronous, for those who have an SDK's raw chunks.
 *
 * An `error` event comes last, behind all calls; after it {@link push} returns nothing.
 *
 * @example Over the raw chunks of an SDK
 * ```ts
 * const assembler = new ToolCallAssembler();
 * for await (const chunk of chunks) {
 *   for (const event of assembler.push(chunk)) {
 *     if (event.type === "tool-call") console.log(event.call.name, event.call.input);
 *   }
 * }
 * for (const event of assembler.end()) console.log(event.type);
 * ```
 */
export class ToolCallAssembler<Input = unknown> {
  #turn: Turn<Input>;

  /** @throws TypeError or RangeError when an option is of the wrong type or out of range */
  constructor(options: ToolCallAssemblerOptions<Input> = {}) {
    this.#turn = new Turn(resolveOptions(options), false);
  }

  /** Reads one parsed chunk. Never throws: a response that failed is an `error` event. */
  push(chunk: unknown): ChatEvent<Input>[] {
    if (this.#turn.isEnded) return [];
    this.#turn.readPayloads([{ type: "json", value: chunk, start: 0 }]);
    return this.#take();
  }

  /** The response has ended: gives the calls that waited for it, and the error if it was cut. */
  end(): ChatEvent<Input>[] {
    if (this.#turn.isEnded) return [];
    this.#turn.end();
    return this.#take();
  }

  /** The completion so far, at any time. */
  snapshot(): Completion<Input> {
    return this.#turn.snapshot();
  }

  #take(): ChatEvent<Input>[] {
    const events = this.#turn.take();
    const { error } = this.#turn;
    return error === undefined ? events : [...events, { type: "error", error }];
  }
}
