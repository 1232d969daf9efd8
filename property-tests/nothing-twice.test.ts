import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type ChatEvent, ToolCallAssembler } from "../src/index.ts";
import { readEvents } from "../test/bodies.ts";
import { encoders } from "./encoders.ts";
import { expectedCalls, expectedErrorCode, codeOf, seen } from "./expected.ts";
import {
  type ArgumentsQuirk,
  type EchoQuirk,
  scenarioOf,
  scenarioWith,
  streamedShape,
} from "./quirks.ts";
import { callsOf } from "./reading.ts";
import { parameters } from "./setup.ts";
import { type ModelTurn, turnArbitrary } from "./turns.ts";

const repetitive = {
  arguments: fc.constantFrom<ArgumentsQuirk[]>("repeated", "repeated-as-text", "blank", "text"),
  echo: fc.constantFrom<EchoQuirk[]>("message", "copies", "none"),
  shape: streamedShape,
  // Behind an end without a blank line nothing begins.
  lacksLastBlankLine: fc.constant(false),
};

// Seen to fail with `call.lineage.has(value)` of Assembler.#readLate taken to be false, and with
// `this.#isCopy(call)` of Assembler.#settle taken to be false.
test.each(encoders)("Nothing twice: $dialect", async (encoder) => {
  await fc.assert(
    fc.asyncProperty(scenarioWith(repetitive).map(encoder.fitted), async (scenario) => {
      const { turn, quirks } = scenario;
      const frames = encoder.frames(turn, quirks);
      const texts = frames.map(({ text }) => text);
      // Behind the end, the whole response again, in the same chunk or in others.
      const chunks = turn.end === "body" ? texts : [texts.join("") + texts.join(""), ...texts];
      const { events } = await readEvents(chunks);
      const calls = callsOf(events);
      expect(calls.map(seen)).toEqual(expectedCalls(scenario, frames));
      expect(new Set(calls.map(({ id }) => id)).size).toBe(calls.length);
    }),
    parameters(),
  );
});

const assembledTurn = turnArbitrary.map(({ choices, usage }): ModelTurn => ({
  choices,
  usage,
  end: "body",
}));

// Seen to fail with `this.#events = []` of Turn.take left out where there are no events.
test.each(encoders)("Nothing twice, in all that an assembler has returned: $dialect", (encoder) => {
  fc.assert(
    fc.property(scenarioWith(repetitive, assembledTurn).map(encoder.fitted), (scenario) => {
      const assembler = new ToolCallAssembler();
      const steps: ChatEvent[][] = encoder
        .payloads(scenario.turn, scenario.quirks)
        .map((payload) => assembler.push(payload));
      steps.push(assembler.end(), assembler.push({ choices: [] }), assembler.end());

      const calls = steps.flatMap((events) =>
        events.flatMap((event) => (event.type === "tool-call" ? [event.call] : [])),
      );
      const errors = steps.flatMap((events) =>
        events.flatMap((event) => (event.type === "error" ? [codeOf(event.error)] : [])),
      );
      const frames = encoder.frames(scenario.turn, scenario.quirks);
      const code = expectedErrorCode(scenario);
      expect(calls.map(seen)).toEqual(expectedCalls(scenario, frames));
      expect(errors).toEqual(code === undefined ? [] : [code]);
    }),
    parameters({
      "an array, returned empty, that was filled later": [scenarioOf({}, { echo: "message" })],
    }),
  );
});
