import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ToolCallStreamError } from "../src/index.ts";
import { encoders } from "./encoders.ts";
import { placeOf, textsOf } from "./encoder.ts";
import { callAt, expectedCalls, seen } from "./expected.ts";
import { rawText } from "./fragments.ts";
import { type EchoQuirk, type FinishQuirk, scenarioWith } from "./quirks.ts";
import { bytesOf, callsOf, readSteps } from "./reading.ts";
import { parameters } from "./setup.ts";
import { type ModelTurn, turnArbitrary } from "./turns.ts";

/**
 * Where a prefix says the same as the whole: a second reason, or an error behind the reason, takes
 * back what the first one said.
 */
const consistentTurn = turnArbitrary.map(({ choices, usage, end }): ModelTurn => ({
  choices: choices.map(({ content, reasoning, calls, finishReasons }) => ({
    content,
    reasoning,
    calls,
    finishReasons: finishReasons.slice(0, 1),
  })),
  usage,
  end: end === "error" ? "done" : end,
}));

const consistent = {
  finish: fc.constant<FinishQuirk>("last"),
  // A copy of which only the start has come is a call like any other.
  echo: fc.constantFrom<EchoQuirk[]>("message", "none"),
};

// Seen to fail with `isNormalEnd(call.choice)` of Assembler.end taken to be true.
test.each(encoders)("Every prefix of a body gives a prefix of its calls: $dialect", (encoder) => {
  fc.assert(
    fc.property(
      scenarioWith(consistent, consistentTurn).map(encoder.fitted),
      fc.array(fc.nat({ max: 9999 }), { minLength: 1, maxLength: 8 }),
      (scenario, lengths) => {
        const frames = encoder.frames(scenario.turn, scenario.quirks);
        const bytes = bytesOf(textsOf(frames));
        const expected = expectedCalls(scenario, frames);
        const early = frames.flatMap(({ completes }) => completes).length;

        for (const length of lengths) {
          const prefix = bytes.subarray(0, length % (bytes.length + 1));
          const { steps, error } = readSteps([prefix]);
          expect(error === undefined || error instanceof ToolCallStreamError).toBe(true);
          const calls = callsOf(steps.flat()).map(seen);

          // What has come out before the end comes out of the whole, in the same order.
          const before = callsOf(steps[0] ?? []).map(seen);
          const count = Math.min(before.length, early);
          expect(before.slice(0, count)).toEqual(expected.slice(0, count));

          for (const { choice, index, status, ...call } of calls) {
            const whole = expected.find(
              (other) => other.choice === choice && other.index === index,
            );
            if (whole === undefined) throw new Error(`No call ${index} of choice ${choice}`);
            if (status === "complete") {
              expect({ choice, index, status, ...call }).toEqual(whole);
              continue;
            }
            const place = placeOf(frames, { choice, index });
            const texts = [whole.arguments, rawText(callAt(scenario, place), scenario.quirks)];
            expect(texts.some((text) => text.startsWith(call.arguments))).toBe(true);
            expect(whole.name.startsWith(call.name)).toBe(true);
          }
          // Those that have begun, and no hole among them.
          for (const [choice] of scenario.turn.choices.entries()) {
            const indices = calls
              .filter((call) => call.choice === choice)
              .map(({ index }) => index);
            expect(indices.sort((a, b) => a - b)).toEqual(
              indices.map((_index, position) => position),
            );
          }
        }
      },
    ),
    parameters(),
  );
});
