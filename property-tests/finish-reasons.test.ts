import * as fc from "fast-check";
import { expect, test } from "vitest";
import { encoders } from "./encoders.ts";
import { textsOf } from "./encoder.ts";
import { codeOf, expectedCalls, seen } from "./expected.ts";
import { isHeld } from "./fragments.ts";
import { scenarioWith, type ShapeQuirk } from "./quirks.ts";
import { callsOf, readSteps } from "./reading.ts";
import { parameters } from "./setup.ts";
import { type ModelTurn, turnArbitrary } from "./turns.ts";

const reasonFirst = {
  finish: fc.constant("first" as const),
  echo: fc.constant("none" as const),
  shape: fc.constantFrom<ShapeQuirk[]>("array", "single", "legacy"),
  // Each delta in an event of its own, one choice after the other.
  batch: fc.constant([]),
  merge: fc.constant([]),
};

/** Each choice has a reason, and the response says its end, so that it can be left out. */
const finishedTurn = turnArbitrary.map(({ choices, usage }): ModelTurn => ({
  usage,
  end: "done",
  choices: choices.map((choice) =>
    choice.finishReasons.length > 0
      ? choice
      : Object.assign({}, choice, { finishReasons: ["stop"] }),
  ),
}));

// Seen to fail with `isDisproved` of CompletionBuilder.endOf taken to be false, and with `isUnproven` of
// Turn.#finish taken to be false.
test.each(encoders.filter(({ dialect }) => dialect !== "responses"))(
  "A finish reason that more has followed proves no end: $dialect",
  (encoder) => {
    fc.assert(
      fc.property(scenarioWith(reasonFirst, finishedTurn).map(encoder.fitted), (scenario) => {
        const { turn, quirks } = scenario;
        fc.pre(turn.end === "done" && quirks.finish === "first");
        const frames = encoder.frames(turn, quirks);
        const end = frames.findIndex(({ isEnd }) => isEnd);
        const { steps, error } = readSteps(textsOf(frames.slice(0, end)));

        const whole = expectedCalls(scenario, frames);
        const held = new Set(
          turn.choices.flatMap(({ calls }, choice) =>
            calls.flatMap((call, index) => (isHeld(call, quirks) ? [`${choice} ${index}`] : [])),
          ),
        );
        const calls = callsOf(steps.flat()).map(seen);
        for (const [position, expected] of whole.entries()) {
          const call = calls[position];
          const isLost = held.has(`${expected.choice} ${expected.index}`);
          if (isLost) expect(call?.status).toBe("incomplete");
          else expect(call).toEqual(expected);
        }
        const lacksEnd = whole.some(
          ({ choice, index, status }) => status === "complete" && held.has(`${choice} ${index}`),
        );
        expect(codeOf(error)).toBe(lacksEnd ? "truncated-response" : undefined);
      }),
      parameters(),
    );
  },
);
