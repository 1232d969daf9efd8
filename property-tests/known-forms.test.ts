import * as fc from "fast-check";
import { expect, test, vi } from "vitest";
import { Form } from "../src/forms/form.ts";
import { KnownEvents } from "../src/forms/known-events.ts";
import { bytesAsText, rewrite } from "../test/wire/rewriting.ts";
import { cutBytes, cutsArbitrary } from "./cuts.ts";
import { textsOf } from "./encoder.ts";
import { encoders } from "./encoders.ts";
import { mutated, mutationsArbitrary } from "./mutations.ts";
import { scenarioWith } from "./quirks.ts";
import { bytesOf, countedIds, readSteps } from "./reading.ts";
import { parameters } from "./setup.ts";

const readKnown = Object.getOwnPropertyDescriptor(KnownEvents.prototype, "read")
  ?.value as KnownEvents["read"];

/** What comes of a body on both sides, every event parsed. */
function plain(chunks: readonly Uint8Array[]): object {
  const read = vi.spyOn(KnownEvents.prototype, "read").mockReturnValue(undefined);
  const result = resultOf(chunks);
  read.mockRestore();
  return result;
}

/**
 * The same on the lane, and how many events it took. Behind each of them all values of the payload are
 * overwritten: what someone has kept of it is then wrong.
 */
function onLane(chunks: readonly Uint8Array[]): { result: object; count: number } {
  let count = 0;
  let latest: Form | undefined;
  const read = vi.spyOn(KnownEvents.prototype, "read").mockImplementation(function (
    this: KnownEvents,
    ...args
  ) {
    if (latest !== undefined) overwrite(latest);
    latest = readKnown.apply(this, args);
    if (latest !== undefined) count += 1;
    return latest;
  });
  const result = resultOf(chunks);
  read.mockRestore();
  return { result, count };
}

function overwrite(form: Form): void {
  if (form.isReleased) return;
  for (const [index, isText] of form.isText.entries()) form.fill(index, isText ? "no" : -1);
}

function resultOf(chunks: readonly Uint8Array[]): object {
  const { steps, error, completion } = readSteps(chunks, { generateId: countedIds() });
  return { events: steps.flat(), error, completion, wire: bytesAsText(rewrite(chunks)) };
}

/** Events that say one thing each: the others rarely repeat. */
const BRIEF = { batch: [], finish: "last", hasUnknownFields: false } as const;

// Seen to fail with the last part left out of the comparison, with a number that is taken for another,
// without `release` for usage on every event, and with a cut event that is taken for whole.
test.each(encoders)("The lane is equal to parsing every event: $dialect", (encoder) => {
  const counts: number[] = [];
  fc.assert(
    fc.property(
      scenarioWith(),
      fc.oneof(fc.constant([]), mutationsArbitrary),
      fc.integer({ min: 1, max: 6 }),
      fc.oneof(fc.constant([]), cutsArbitrary),
      fc.boolean(),
      (scenario, mutations, times, cuts, isBrief) => {
        const { turn, quirks: others } = encoder.fitted(scenario);
        const quirks = isBrief ? { ...others, ...BRIEF } : others;
        // Forms repeat when whole events do; behind the end of the response nothing is read.
        const frames = encoder.frames(turn, quirks);
        const body = textsOf(frames.filter(({ isEnd }) => !isEnd)).repeat(times);
        const chunks = cutBytes(mutated(bytesOf(body + textsOf(frames)), mutations), cuts);
        const { result, count } = onLane(chunks);
        counts.push(count);
        expect(result).toEqual(plain(chunks));
      },
    ),
    parameters(),
  );
  expect(counts.filter((count) => count > 0).length).toBeGreaterThan(counts.length / 10);
});
