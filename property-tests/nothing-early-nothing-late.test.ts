import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ToolCallStream } from "../src/index.ts";
import { encoders } from "./encoders.ts";
import { expectedCalls, seen } from "./expected.ts";
import { scenarioWith, streamedShape } from "./quirks.ts";
import { callsOf, readSteps } from "./reading.ts";
import { parameters } from "./setup.ts";

const scenarioArbitrary = scenarioWith({
  shape: streamedShape,
  lacksLastBlankLine: fc.constant(false),
});

// Early: seen to fail with `this.#text.hasContent` left out of Call.#isFinal. Late: with the line
// `if (call.isReady)` of Assembler.apply left out.
test.each(encoders)("Nothing early, nothing late: $dialect", (encoder) => {
  fc.assert(
    fc.property(scenarioArbitrary.map(encoder.fitted), (scenario) => {
      const frames = encoder.frames(scenario.turn, scenario.quirks);
      // Without its last line end an event is not over.
      const chunks = frames.flatMap(({ text }) => {
        const end = /(?:\r\n|\n|\r)?$/.exec(text)?.index;
        return [text.slice(0, end), text.slice(end)];
      });
      const { steps } = readSteps(chunks);

      const expected = expectedCalls(scenario, frames);
      let count = 0;
      const due = frames.flatMap(({ completes, isEnd }) => {
        const calls = expected.slice(count, isEnd ? expected.length : count + completes.length);
        count += calls.length;
        return [[], calls];
      });
      // The end of the body.
      due.push(expected.slice(count));
      expect(steps.map((events) => callsOf(events).map(seen))).toEqual(due);
    }),
    parameters(),
  );
});

// Seen to fail with `reader.isEnded` alone as the condition of the tick in LosslessStream.
test.each(encoders)(
  "Nothing early, nothing late, through a stream whose source says no more: $dialect",
  async (encoder) => {
    await fc.assert(
      fc.asyncProperty(
        scenarioArbitrary.map(encoder.fitted),
        fc.nat({ max: 99 }),
        async (scenario, pause) => {
          const frames = encoder.frames(scenario.turn, scenario.quirks);
          const said = frames.slice(0, (pause % frames.length) + 1);
          const stream = new ToolCallStream();
          const reader = stream.readable.getReader();
          const writer = stream.writable.getWriter();
          // Who closes the stream, or waits for room in it, would wait for the source.
          for (const { text } of said) writer.write(text).catch(() => {});

          const expected = expectedCalls(scenario, frames);
          const hasEnded = said.some(({ isEnd }) => isEnd);
          const completed = said.flatMap(({ completes }) => completes);
          const due = hasEnded ? expected : expected.slice(0, completed.length);
          for (const call of due) {
            const { value } = await reader.read();
            expect(value === undefined ? undefined : seen(value)).toEqual(call);
          }
          await reader.cancel();
        },
      ),
      parameters(),
    );
  },
);
