import { decoder } from "../events/bytes.ts";
import { ByteQueue } from "./byte-queue.ts";
import { KnownEvents } from "./known-events.ts";

/** A chunk this short has no whole event in it: looking at it twice costs more than it saves. */
const MIN_CHUNK = 64;

/** A longer event is not remembered. Of one that is not whole yet, no more than this waits. */
const MAX_LENGTH = 4096;

/** What reads the events of a response, of known form or not. */
export interface EventTaker {
  /** Whether nothing is half read, so that the next byte begins an event. */
  readonly isBetweenEvents: boolean;
  /** Whether nothing more is read. */
  readonly isOver: boolean;
  /**
   * Takes an event of known form.
   *
   * @param payload changes with the next event
   * @returns whether some object of the payload is kept
   */
  takeKnown(payload: unknown, name: string | undefined, start: number, end: number): boolean;
  /**
   * Takes whatever comes.
   *
   * @param isLent whether the bytes change when the call has returned
   * @returns whether one event has ended in them whose like is likely to come again
   */
  takeBytes(bytes: unknown, isLent: boolean): boolean;
}

/**
 * The fast lane: chunks → events of known form, as soon as they are whole, and all else as it came.
 *
 * Before SSE and before JSON, so that most events of a response pass neither.
 */
export class Lane {
  readonly queue: ByteQueue = new ByteQueue();
  #known = new KnownEvents();
  #taker: EventTaker;
  #maxEventLength: number;

  /** @param maxEventLength in bytes here, which are never fewer than characters */
  constructor(taker: EventTaker, maxEventLength: number) {
    this.#taker = taker;
    this.#maxEventLength = maxEventLength;
  }

  push(chunk: unknown): void {
    const { queue } = this;
    const mayHoldEvents = chunk instanceof Uint8Array && chunk.length >= MIN_CHUNK;
    if (!mayHoldEvents || !this.#known.isUseful) {
      this.flush();
      this.#taker.takeBytes(chunk, false);
      return;
    }
    queue.append(chunk);
    while (queue.length > 0 && !this.#taker.isOver) {
      if (!this.#takeEvent()) return;
    }
  }

  /** Nothing more comes: what waits is taken as it is. */
  flush(): void {
    const { queue } = this;
    if (queue.length === 0) return;
    this.#take(queue.end);
  }

  /** @returns whether there may be more to take */
  #takeEvent(): boolean {
    const { queue } = this;
    const known = this.#known;
    const isLookedFor = this.#taker.isBetweenEvents && known.isUseful;
    if (isLookedFor) {
      const { start } = queue;
      const form = known.read(queue.view, start, queue.end);
      if (form !== undefined && known.end - start <= this.#maxEventLength) {
        queue.start = known.end;
        if (this.#taker.takeKnown(form.payload, form.name, start, known.end)) form.release();
        return true;
      }
      if (known.isCut && queue.length <= Math.min(MAX_LENGTH, this.#maxEventLength)) return false;
    }
    const end = queue.findEventEnd();
    if (end === -1) {
      this.#take(queue.end);
      return false;
    }
    const isShort = end - queue.start <= MAX_LENGTH;
    const event = isLookedFor && isShort && decoder.decode(queue.view8(queue.start, end));
    const mayRepeat = this.#take(end);
    if (isLookedFor) known.miss();
    if (event && mayRepeat) known.learn(event);
    return true;
  }

  #take(end: number): boolean {
    const { queue } = this;
    const bytes = queue.view8(queue.start, end);
    queue.start = end;
    return this.#taker.takeBytes(bytes, true);
  }
}
