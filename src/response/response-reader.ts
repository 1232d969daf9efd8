import type { Delta } from "../dialects/delta.ts";
import { keepsObjects, mayRepeat } from "../dialects/delta.ts";
import { notAnEventStream, type ToolCallStreamError } from "../errors.ts";
import { readPayloads } from "../events/payloads.ts";
import { type SseEvent, SseReader } from "../events/sse.ts";
import { withoutMarks } from "../events/utf8.ts";
import { type EventTaker, Lane } from "../forms/lane.ts";
import type { ResolvedOptions } from "../options.ts";
import { Turn } from "./turn.ts";
import type { ChatStreamEvent, Completion } from "../types.ts";

/** One response: chunks → chat events. Synchronous; what the streams wire to the platform. */
export class ResponseReader<Input> implements EventTaker {
  #sse: SseReader;
  #turn: Turn<Input>;
  #lane: Lane;

  constructor(options: ResolvedOptions<Input>, isCallsOnly: boolean) {
    this.#sse = new SseReader(options.maxEventLength);
    this.#turn = new Turn(options, isCallsOnly);
    this.#lane = new Lane(this, options.maxEventLength);
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
    this.#lane.push(chunk);
    return this.#turn.take();
  }

  /** The body has ended. */
  end(): ChatStreamEvent<Input>[] {
    this.#lane.flush();
    if (this.#turn.isEnded) return this.#turn.take();
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

  get isOver(): boolean {
    return this.#turn.isEnded;
  }

  get isBetweenEvents(): boolean {
    return this.#sse.isBetweenEvents;
  }

  takeKnown(payload: unknown, name: string | undefined): boolean {
    return this.#turn.readPayload(payload, name).some(keepsObjects);
  }

  takeBytes(bytes: unknown): boolean {
    let events: SseEvent[] = [];
    try {
      events = this.#sse.push(bytes);
    } catch (error) {
      // The decoder throws a TypeError as well (for a chunk that was transferred away).
      this.#turn.fail(error as TypeError);
    }
    const deltas = this.#readAll(events);
    return events.length === 1 && deltas.some(mayRepeat);
  }

  /** @returns the deltas of the last event */
  #readAll(events: readonly SseEvent[]): readonly Delta[] {
    let deltas: readonly Delta[] = [];
    for (const event of events) deltas = this.#read(event);
    const { failure, head, maxEventLength } = this.#sse;
    if (failure === "too-long") this.#turn.exceedEvent(maxEventLength);
    else if (failure === "no-event-stream") this.#turn.fail(notAnEventStream(withoutMarks(head)));
    return deltas;
  }

  #read(event: SseEvent): readonly Delta[] {
    const { name, hasReplacedBytes } = event;
    if (this.#turn.isEnded) return [];
    return this.#turn.readPayloads(readPayloads(event), name, hasReplacedBytes);
  }
}
