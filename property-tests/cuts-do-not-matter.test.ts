import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ToolCallStreamError, type ToolCallStreamOptions } from "../src/index.ts";
import { readEvents } from "../test/bodies.ts";
import { encoders } from "./encoders.ts";
import { cutBytes, cutsArbitrary, cutText } from "./cuts.ts";
import { mutated, mutationsArbitrary } from "./mutations.ts";
import { expectedCalls, seen } from "./expected.ts";
import { scenarioWith } from "./quirks.ts";
import { bytesOf, callsOf, countedIds } from "./reading.ts";
import { textsOf } from "./encoder.ts";
import { parameters } from "./setup.ts";

/** Everything that a body gives. */
async function readingOf(
  chunks: Iterable<Uint8Array | string>,
  limits: ToolCallStreamOptions = {},
): Promise<unknown> {
  const reading = await readEvents(chunks, { ...limits, generateId: countedIds() });
  const { error } = reading;
  return { ...reading, error: error instanceof ToolCallStreamError ? { ...error } : error };
}

const limit = (max: number): fc.Arbitrary<number> =>
  fc.oneof(fc.constant(Number.POSITIVE_INFINITY), fc.integer({ min: 1, max }));

const limitsArbitrary = fc.record({
  maxEventLength: limit(400),
  maxArgumentsLength: limit(60),
  maxMessageLength: limit(10),
  maxToolCalls: limit(4),
});

// Seen to fail with `mayBeCut` of SseReader.#decode taken to be false.
test.each(encoders)("Cuts do not matter: $dialect", async (encoder) => {
  await fc.assert(
    fc.asyncProperty(scenarioWith().map(encoder.fitted), cutsArbitrary, async (scenario, cuts) => {
      const frames = encoder.frames(scenario.turn, scenario.quirks);
      const bytes = bytesOf(textsOf(frames));
      const { events } = await readEvents(cutBytes(bytes, cuts));
      expect(callsOf(events).map(seen)).toEqual(expectedCalls(scenario, frames));
    }),
    parameters(),
  );
});

// Seen to fail with `this.#pending.length` left out of `isWithin` in SseReader.#split.
test.each(encoders)("Cuts do not matter, errors included: $dialect", async (encoder) => {
  await fc.assert(
    fc.asyncProperty(
      scenarioWith().map(encoder.fitted),
      mutationsArbitrary,
      cutsArbitrary,
      limitsArbitrary,
      async ({ turn, quirks }, mutations, cuts, limits) => {
        const bytes = mutated(bytesOf(encoder.encode(turn, quirks)), mutations);
        const whole = await readingOf([bytes], limits);
        expect(await readingOf(cutBytes(bytes, cuts), limits)).toEqual(whole);
      },
    ),
    parameters(),
  );
});

// Seen to fail with text chunks encoded, and read as bytes, in SseReader.push.
test.each(encoders)(
  "Cuts do not matter, nor does it matter whether a chunk is bytes or text: $dialect",
  async (encoder) => {
    await fc.assert(
      fc.asyncProperty(
        scenarioWith().map(encoder.fitted),
        cutsArbitrary,
        fc.array(fc.boolean(), { minLength: 1 }),
        async ({ turn, quirks }, cuts, areBytes) => {
          const body = encoder.encode(turn, quirks);
          const chunks = cutText(body, cuts).map((chunk, count) => {
            const isHalf = /\p{Surrogate}/u.test(chunk);
            return !isHalf && areBytes[count % areBytes.length] ? bytesOf(chunk) : chunk;
          });
          expect(await readingOf(chunks)).toEqual(await readingOf([bytesOf(body)]));
        },
      ),
      parameters(),
    );
  },
);
