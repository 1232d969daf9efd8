import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { Encoder } from "./encoder.ts";
import { encoders } from "./encoders.ts";
import { codeOf, expectedCalls, knownFields, seen } from "./expected.ts";
import { noiseArbitraries, PLAIN, type Quirks, scenarioWith } from "./quirks.ts";
import { countedIds, readSteps } from "./reading.ts";
import { parameters } from "./setup.ts";
import type { ModelTurn } from "./turns.ts";

/** All that a response says, usage aside, and unknown fields of deltas: they go into the message. */
function readingOf(encoder: Encoder, turn: ModelTurn, quirks: Quirks) {
  const texts = encoder.frames(turn, quirks).map(({ text }) => text);
  const { steps, error, completion } = readSteps(texts, { generateId: countedIds() });
  const { usage: _usage, diagnostics, choices, ...rest } = completion;
  return {
    events: steps.flat().filter(({ type }) => type !== "usage" && type !== "diagnostic"),
    // Noise counts as events.
    diagnostics: diagnostics.map(({ event: _event, ...diagnostic }) => diagnostic),
    completion: { ...rest, message: knownFields(rest.message) },
    choices: choices.map(({ message: _message, ...choice }) => choice),
    messages: choices.map(({ message }) => knownFields(message)),
    error: codeOf(error),
  };
}

const quiet = {
  noise: PLAIN.noise,
  hasUnknownFields: PLAIN.hasUnknownFields,
  lineEnds: PLAIN.lineEnds,
  hasSpace: PLAIN.hasSpace,
  hasByteOrderMark: PLAIN.hasByteOrderMark,
  eventName: PLAIN.eventName,
  isMultiLine: PLAIN.isMultiLine,
  isAscii: PLAIN.isAscii,
  hasAfterword: PLAIN.hasAfterword,
  lacksLastBlankLine: PLAIN.lacksLastBlankLine,
};

// Seen to fail with `text.startsWith(":")` left out of readPayloads.
test.each(encoders)("Noise does not matter: $dialect", (encoder) => {
  fc.assert(
    fc.property(
      scenarioWith().map(encoder.fitted),
      fc.record(noiseArbitraries),
      ({ turn, quirks }, noise) => {
        const inQuiet = { ...quirks, ...quiet };
        const inNoise = { ...quirks, ...noise };
        const reading = readingOf(encoder, turn, inNoise);
        expect(reading).toEqual(readingOf(encoder, turn, inQuiet));
        const frames = encoder.frames(turn, inQuiet);
        const calls = reading.events.flatMap((event) =>
          event.type === "tool-call" ? [event.call] : [],
        );
        expect(calls.map(seen)).toEqual(expectedCalls({ turn, quirks: inQuiet }, frames));
      },
    ),
    parameters(),
  );
});
