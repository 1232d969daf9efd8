import * as fc from "fast-check";
import { expect, test } from "vitest";
import { encoders } from "./encoders.ts";
import { expectedCalls, type ExpectedCall, seen } from "./expected.ts";
import {
  type ArgumentsQuirk,
  fitted,
  type IndexQuirk,
  layoutArbitraries,
  quirksWith,
  type ShapeQuirk,
} from "./quirks.ts";
import { callsOf, readSteps } from "./reading.ts";
import { parameters } from "./setup.ts";
import { turnArbitrary } from "./turns.ts";

const distinct = {
  index: fc.constantFrom<IndexQuirk[]>(
    "counted",
    "from-one",
    "sparse",
    "negative",
    "text",
    "mixed",
  ),
  shape: fc.constantFrom<ShapeQuirk[]>("array", "single"),
  // Not what is repaired: there the fragments are what tells that the arguments were repeated.
  arguments: fc.constantFrom<ArgumentsQuirk[]>(
    "text",
    "placeholder",
    "repeated",
    "junk",
    "blank",
    "encoded-twice",
  ),
};

/** Without their positions, and in an order that does not depend on them. */
function sorted(calls: readonly ExpectedCall[]): string[] {
  return calls
    .map(({ index: _index, ...call }) => JSON.stringify(Object.entries(call).sort()))
    .sort();
}

// Seen to fail with `this.#latest` for `this.#byIndex.get(delta.index)` in Correlation.find, and with
// JsonEnd.scan beginning a fragment outside of an escape, whatever `this.#at` says.
test.each(encoders)("Interleaving does not matter: $dialect", (encoder) => {
  fc.assert(
    fc.property(
      fc.record({ turn: turnArbitrary, quirks: quirksWith(distinct) }),
      fc.record(layoutArbitraries),
      fc.record(layoutArbitraries),
      ({ turn, quirks }, one, other) => {
        const readings = [one, other].map((layout) => {
          const scenario = encoder.fitted(fitted({ turn, quirks: { ...quirks, ...layout } }));
          const frames = encoder.frames(scenario.turn, scenario.quirks);
          const { steps, completion } = readSteps(frames.map(({ text }) => text));
          const calls = callsOf(steps.flat()).map(seen);
          expect(sorted(calls)).toEqual(sorted(expectedCalls(scenario, frames)));
          const contents = completion.choices.map(
            ({ message }) => message && encoder.saidIn(message, scenario.quirks).content,
          );
          return { calls: sorted(calls), contents };
        });
        expect(readings[0]).toEqual(readings[1]);
      },
    ),
    parameters(),
  );
});
