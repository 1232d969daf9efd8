import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { Shortcut } from "../src/response/shortcut.ts";
import { chat } from "./chat-encoder.ts";
import { textsOf } from "./encoder.ts";
import { mutated, mutationsArbitrary } from "./mutations.ts";
import { scenarioWith } from "./quirks.ts";
import { bytesOf, countedIds, readSteps } from "./reading.ts";
import { parameters } from "./setup.ts";

/** All that a body gives, and how often the shortcut was taken. */
function readingOf(bytes: Uint8Array, hasShortcut: boolean) {
  const read = vi.spyOn(Shortcut.prototype, "read");
  if (!hasShortcut) read.mockReturnValue(undefined);
  const reading = readSteps([bytes], { generateId: countedIds() });
  const taken = read.mock.results.filter(({ value }) => value !== undefined).length;
  read.mockRestore();
  return { reading, taken };
}

/** Events that say one thing each: of others, no form is learned. */
const BRIEF = { batch: [], finish: "last", hasUnknownFields: false } as const;

// Seen to fail with `after` left out of the comparison in `readForm`, and with `isExact` always true.
test("The shortcut is equal to parsing every event", () => {
  const taken: number[] = [];
  fc.assert(
    fc.property(
      scenarioWith(),
      fc.oneof(fc.constant([]), mutationsArbitrary),
      fc.integer({ min: 1, max: 6 }),
      fc.boolean(),
      ({ turn, quirks: others }, mutations, times, isBrief) => {
        const quirks = isBrief ? { ...others, ...BRIEF } : others;
        // Forms repeat when whole events do; behind the end of the response nothing is read.
        const frames = chat.frames(turn, quirks);
        const body = textsOf(frames.filter(({ isEnd }) => !isEnd)).repeat(times);
        const bytes = mutated(bytesOf(body + textsOf(frames)), mutations);
        const withShortcut = readingOf(bytes, true);
        taken.push(withShortcut.taken);
        expect(withShortcut.reading).toEqual(readingOf(bytes, false).reading);
      },
    ),
    parameters(),
  );
  expect(taken.filter((count) => count > 0).length).toBeGreaterThan(taken.length / 10);
});
