import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ToolCallStream } from "../src/index.ts";
import { bodyOf, readAll } from "../test/bodies.ts";
import { encoders } from "./encoders.ts";
import { type CallPlace, type Frame, textsOf } from "./encoder.ts";
import { codeOf, expectedCalls, expectedErrorCode, seen } from "./expected.ts";
import { scenarioWith, streamedShape } from "./quirks.ts";
import { bytesOf } from "./reading.ts";
import { parameters } from "./setup.ts";

const scenarioArbitrary = scenarioWith({
  shape: streamedShape,
  // Only at the start of a body is it one.
  hasByteOrderMark: fc.constant(false),
  // Behind it something else follows.
  lacksLastBlankLine: fc.constant(false),
  // Whether a whole copy makes up for a damaged call, nobody has defined.
  echo: fc.constant("none"),
  // With a reason that came before it, a call that was cut looks like one without arguments, and may
  // then be the copy of another.
  finish: fc.constant("last"),
});

/** Longer than every event here. */
const MAX_EVENT_LENGTH = 20_000;

const FAILURES = {
  error: 'event: error\ndata: {"error":{"message":"overloaded"}}\n\n',
  limit: `data: ${" ".repeat(MAX_EVENT_LENGTH)}\n\n`,
  cut: 'data: {"choices":[{"index":0,"del',
  reset: "",
};

/** The frames before the one that ends the response, and how many of them a number stands for. */
function framesBefore(frames: readonly Frame[], number: number): Frame[] {
  const end = frames.findIndex(({ isEnd }) => isEnd);
  const open = end === -1 ? frames.slice() : frames.slice(0, end);
  return open.slice(0, number % (open.length + 1));
}

function macrotask(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve);
  });
}

/** As {@link readAll}, by a reader that lets everything else happen behind the first value. */
async function readSlowly<T>(stream: ReadableStream<T>): Promise<{ values: T[]; error: unknown }> {
  const reader = stream.getReader();
  try {
    const first = await reader.read();
    await macrotask();
    reader.releaseLock();
    const { values, error } = await readAll(stream);
    return { values: first.done ? values : [first.value, ...values], error };
  } catch (error) {
    return { values: [], error };
  }
}

// Seen to fail with `values.length > 0` of LosslessStream handing out values only while there is no
// error, and with `this.#assembler.end(() => false)` of Turn.fail left out.
test.each(encoders)("Nothing lost: $dialect", async (encoder) => {
  await fc.assert(
    fc.asyncProperty(
      scenarioArbitrary.map(encoder.fitted),
      fc.constantFrom<(keyof typeof FAILURES)[]>("error", "limit", "cut", "reset"),
      fc.nat({ max: 99 }),
      async (scenario, failure, number) => {
        const frames = encoder.frames(scenario.turn, scenario.quirks);
        const before = framesBefore(frames, number);
        const reset = failure === "reset" ? new Error("reset") : undefined;
        const body = bodyOf([bytesOf(textsOf(before) + FAILURES[failure])], reset);
        const stream = new ToolCallStream({ maxEventLength: MAX_EVENT_LENGTH });
        const { values, error } = await readSlowly(body.pipeThrough(stream));

        // What was complete comes first, as if nothing had happened.
        const completed = before.flatMap(({ completes }) => completes);
        const expected = expectedCalls(scenario, frames);
        expect(values.slice(0, completed.length).map(seen)).toEqual(
          expected.slice(0, completed.length),
        );
        // Then what was open, in the order in which it began.
        const open = before
          .flatMap(({ starts }) => starts)
          .filter((place) => !includes(completed, place));
        const rest = values.slice(completed.length);
        expect(rest.map(({ choice, index }) => ({ choice, index }))).toEqual(
          open.map((place) => ({ choice: place.choice, index: indexOf(frames, place) })),
        );
        if (failure === "cut") return; // Where a reason came before, an end may have been normal.
        expect(rest.map(({ status }) => status)).toEqual(open.map(() => "incomplete"));
        const codes = { error: "provider-error", limit: "limit-exceeded", reset };
        expect(codeOf(error)).toBe(codes[failure]);
      },
    ),
    parameters(),
  );
});

// Seen to fail with `if (!call.isSettled)` of Assembler.end passing over damaged calls as well.
test.each(encoders)("Nothing lost, when an event was lost: $dialect", (encoder) => {
  return fc.assert(
    fc.asyncProperty(
      scenarioArbitrary.map(encoder.fitted),
      fc.nat({ max: 99 }),
      async (scenario, number) => {
        const frames = encoder.frames(scenario.turn, scenario.quirks);
        const before = framesBefore(frames, number);
        const text = textsOf(before) + 'data: {"cho\n\n' + textsOf(frames.slice(before.length));
        const { values, error } = await readAll(
          bodyOf([bytesOf(text)]).pipeThrough(new ToolCallStream()),
        );

        const started = before.flatMap(({ starts }) => starts);
        const completed = before.flatMap(({ completes }) => completes);
        const damaged = started.filter((place) => !includes(completed, place));
        const expected = expectedCalls(scenario, frames).map((call) => {
          const isDamaged = damaged.some(
            (place) => place.choice === call.choice && indexOf(frames, place) === call.index,
          );
          if (!isDamaged) return call;
          // Of its text, what came is there, and of its name.
          return { choice: call.choice, index: call.index, status: "incomplete", code: "damaged" };
        });
        expect(values.map(seen).sort(byPlace)).toMatchObject(expected.sort(byPlace));
        expect(codeOf(error)).toBe(expectedErrorCode(scenario));
      },
    ),
    parameters(),
  );
});

interface Position {
  readonly choice: number;
  readonly index: number;
}

function byPlace(a: Position, b: Position): number {
  return a.choice - b.choice || a.index - b.index;
}

function includes(places: readonly CallPlace[], { choice, call }: CallPlace): boolean {
  return places.some((place) => place.choice === choice && place.call === call);
}

/** The position of a call among those of its choice. */
function indexOf(frames: readonly Frame[], { choice, call }: CallPlace): number {
  return frames
    .flatMap(({ starts }) => starts)
    .filter((place) => place.choice === choice)
    .findIndex((place) => place.call === call);
}
