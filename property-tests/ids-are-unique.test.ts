import * as fc from "fast-check";
import { expect, test } from "vitest";
import { toolResult } from "../src/index.ts";
import { readEvents } from "../test/bodies.ts";
import { encoders } from "./encoders.ts";
import { placeOf } from "./encoder.ts";
import { callAt, expectedCalls } from "./expected.ts";
import { rawText } from "./fragments.ts";
import { scenarioOf, scenarioWith } from "./quirks.ts";
import { callsOf } from "./reading.ts";
import { parameters } from "./setup.ts";

// Seen to fail with a `SYMBOL_COUNT` of 3 in ids.ts, with another id minted in Assembler.#start, and
// with `call.providerId` for `call.id` in writeCall of the chat dialect.
test.each(encoders)("Ids are unique: $dialect", async (encoder) => {
  /** Those of every response so far. */
  const ids = new Set<string>();
  await fc.assert(
    fc.asyncProperty(scenarioWith().map(encoder.fitted), async (scenario) => {
      const frames = encoder.frames(scenario.turn, scenario.quirks);
      const { events, completion } = await readEvents(frames.map(({ text }) => text));
      const calls = callsOf(events);

      expect(calls.length).toBe(expectedCalls(scenario, frames).length);
      for (const call of calls) {
        const { id } = call;
        expect(id).toMatch(/^call_[a-z0-9]{24,35}$/);
        expect(ids.has(id)).toBe(false);
        ids.add(id);

        const own = events.filter((event) => "id" in event && event.id === id);
        const [start, ...fragments] = own;
        expect(start).toMatchObject({ type: "tool-call-start", index: call.index });
        const text = fragments.map((event) =>
          event.type === "tool-call-delta" ? event.fragment : event.type,
        );
        // Those of arguments that were repaired are what was sent.
        const place = placeOf(frames, call);
        expect([call.arguments, rawText(callAt(scenario, place), scenario.quirks)]).toContain(
          text.join(""),
        );

        const { message } = completion.choices.find(({ index }) => index === call.choice) ?? {};
        const said = message && encoder.saidIn(message, scenario.quirks).calls;
        expect(said).toContainEqual({ id, name: call.name === "" ? "unnamed_tool" : call.name });
        expect(Object.values(toolResult(call, ""))).toContain(id);
      }
    }),
    parameters({
      "a fragment that came out once more, behind its call, when late text followed a late name": [
        scenarioOf({}, { name: "late", arguments: "repeated" }),
      ],
    }),
  );
});
