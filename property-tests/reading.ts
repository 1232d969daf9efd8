import { type ChatStreamEvent, type ToolCall, type ToolCallStreamOptions } from "../src/index.ts";
import { resolveOptions } from "../src/options.ts";
import { ResponseReader } from "../src/response/response-reader.ts";
import type { Completion } from "../src/types.ts";

/** What a body gave, with the events of each chunk by themselves, those of its end last. */
export interface Reading {
  readonly steps: ChatStreamEvent[][];
  readonly error: Error | undefined;
  readonly completion: Completion;
}

/**
 * Reads a body chunk by chunk, without streams: the streams deliver the same events, but not at a
 * moment that could be observed exactly.
 */
export function readSteps(
  chunks: Iterable<Uint8Array | string>,
  options: ToolCallStreamOptions = {},
): Reading {
  const reader = new ResponseReader(resolveOptions(options), false);
  const steps = Array.from(chunks, (chunk) => reader.push(chunk).slice());
  steps.push(reader.end());
  return {
    steps,
    error: reader.error,
    completion: reader.snapshot(),
  };
}

export function callsOf(events: readonly ChatStreamEvent[]): ToolCall[] {
  return events.flatMap((event) => (event.type === "tool-call" ? [event.call] : []));
}

/** Ids that are the same in each reading, so that two readings can be compared. */
export function countedIds(): () => string {
  let count = 0;
  return () => `call_${(count += 1)}`;
}

const encoder = new TextEncoder();

export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text);
}
