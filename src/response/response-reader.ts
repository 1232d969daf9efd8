import type { ResolvedOptions } from "../options.ts";
import { readPayloads } from "../events/payloads.ts";
import { Shortcut } from "./shortcut.ts";
import { type SseEvent, SseReader } from "../events/sse.ts";
import { Turn } from "./turn.ts";
import type { ChatStreamEvent, Completion } from "../types.ts";

/** One response: chunks → chat events. Synchronous; what the streams wire to the platform. */
export class ResponseReader<Input> {
  #sse: SseReader;
  #shortcut = new Shortcut();
  #turn: Turn<Input>;

  constructor(options: ResolvedOptions<Input>, isCallsOnly: boolean) {
    this.#sse = new SseReader(options.maxEventLength);
    this.#turn = new Turn(options, isCallsOnly);
  }

  get isEnded(): boolean {
    return this.#turn.isEnded;
  }

  get error(): Error | undefined {
    return this.#turn.error;
  }

  push(chunk: unknown): ChatStreamEvent<Input>[] {
    if (this.#turn.isEnded) return [];
    let events: SseEvent[] = [];
    try {
      events = this.#sse.push(chunk);
    } catch (error) {
      // What the decoder throws (a chunk that was transferred away) is a TypeError as well.
      this.#turn.fail(error as TypeError);
    }
    for (const event of events) this.#read(event);
    if (this.#sse.failure !== undefined) this.#turn.fail(this.#sse.failure);
    return this.#turn.take();
  }

  /** The body has ended. */
  end(): ChatStreamEvent<Input>[] {
    if (this.#turn.isEnded) return [];
    for (const event of this.#sse.end()) this.#read(event);
    if (this.#sse.failure !== undefined) this.#turn.fail(this.#sse.failure);
    else this.#turn.end();
    return this.#turn.take();
  }

  /** The source of the body has failed: what is open comes out incomplete. */
  abort(): ChatStreamEvent<Input>[] {
    this.#turn.fail();
    return this.#turn.take();
  }

  snapshot(): Completion<Input> {
    return this.#turn.snapshot();
  }

  #read(event: SseEvent): void {
    const turn = this.#turn;
    if (turn.isEnded) return;
    const delta = this.#shortcut.read(event.data);
    if (delta !== undefined) {
      turn.readDelta(delta);
      return;
    }
    const deltas = turn.readPayloads(readPayloads(event), event.name);
    this.#shortcut.learn(event.data, deltas, turn.reader);
  }
}
