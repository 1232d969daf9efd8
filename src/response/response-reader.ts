import type { ResolvedOptions } from "../options.ts";
import { notAnEventStream, type ToolCallStreamError } from "../errors.ts";
import { readPayloads } from "../events/payloads.ts";
import { Shortcut } from "./shortcut.ts";
import { type SseEvent, SseReader } from "../events/sse.ts";
import { withoutMarks } from "../events/utf8.ts";
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

  /** Why the response failed, once it is over. */
  get error(): ToolCallStreamError | TypeError | undefined {
    return this.#turn.error;
  }

  push(chunk: unknown): ChatStreamEvent<Input>[] {
    if (this.#turn.isEnded) return [];
    let events: SseEvent[] = [];
    try {
      events = this.#sse.push(chunk);
    } catch (error) {
      // The decoder throws a TypeError as well (for a chunk that was transferred away).
      this.#turn.fail(error as TypeError);
    }
    this.#readAll(events);
    return this.#turn.take();
  }

  /** The body has ended. */
  end(): ChatStreamEvent<Input>[] {
    if (this.#turn.isEnded) return [];
    this.#readAll(this.#sse.end());
    this.#turn.end();
    return this.#turn.take();
  }

  /** The source of the body has failed: what is open comes out incomplete. */
  abort(): ChatStreamEvent<Input>[] {
    this.#turn.abort();
    return this.#turn.take();
  }

  snapshot(): Completion<Input> {
    return this.#turn.snapshot();
  }

  #readAll(events: readonly SseEvent[]): void {
    for (const event of events) this.#read(event);
    const { failure, head, maxEventLength } = this.#sse;
    if (failure === "too-long") this.#turn.exceedEvent(maxEventLength);
    else if (failure === "no-event-stream") this.#turn.fail(notAnEventStream(withoutMarks(head)));
  }

  #read(event: SseEvent): void {
    const turn = this.#turn;
    if (turn.isEnded) return;
    const { data, name, hasReplacedBytes } = event;
    const isKnown = turn.reader.isStateless && !hasReplacedBytes;
    const delta = isKnown ? this.#shortcut.read(data) : undefined;
    if (delta !== undefined) {
      turn.readDelta(delta);
      return;
    }
    const deltas = turn.readPayloads(readPayloads(event), name, hasReplacedBytes);
    this.#shortcut.learn(data, deltas, turn.reader);
  }
}
