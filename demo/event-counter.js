// @ts-check

import { setImmediate } from "node:timers/promises";

const LF = 0x0a;

/**
 * Passes a body on and counts its server-sent events, from 0: `number` is that of the event which
 * has just become whole, with its blank line.
 *
 * @extends {TransformStream<Uint8Array, Uint8Array>}
 */
export class EventCounter extends TransformStream {
  number = -1;

  constructor() {
    let last = 0;
    super({
      transform: async (chunk, controller) => {
        let start = 0;
        for (const [position, byte] of chunk.entries()) {
          const isEnd = byte === LF && last === LF;
          last = byte;
          if (!isEnd) continue;
          this.number += 1;
          controller.enqueue(chunk.subarray(start, position + 1));
          start = position + 1;
          // Everything that comes of this event is to happen before the next one counts.
          await setImmediate();
        }
        if (start < chunk.length) controller.enqueue(chunk.subarray(start));
      },
    });
  }
}
