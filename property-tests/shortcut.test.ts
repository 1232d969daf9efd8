import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { Shortcut } from "../src/shortcut.ts";
import { chat } from "./chat-encoder.ts";
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

// Seen to fail with `after` left out of the comparison in `readForm`, and with `isExact` always true.
test("The shortcut is equal to parsing every event", () => {
  let taken = 0;
  fc.assert(
    fc.property(
      scenarioWith(),
      fc.oneof(fc.constant([]), mutationsArbitrary),
      fc.integer({ min: 1, max: 6 }),
      ({ turn, quirks }, mutations, times) => {
        // Forms repeat when whole events do.
        const bytes = mutated(bytesOf(chat.encode(turn, quirks).repeat(times)), mutations);
        const withShortcut = readingOf(bytes, true);
        taken += withShortcut.taken;
        expect(withShortcut.reading).toEqual(readingOf(bytes, false).reading);
      },
    ),
    parameters(),
  );
  expect(taken).toBeGreaterThan(0);
});
