import * as fc from "fast-check";
import { expect, test } from "vitest";
import { joined } from "../src/events/bytes.ts";
import type { ToolCall } from "../src/index.ts";
import { SseReader } from "../src/events/sse.ts";
import { EventBytes } from "../src/wire/event-bytes.ts";
import { EventData } from "../src/wire/event-data.ts";
import { isRandomId, isStateId } from "../src/wire/random-ids.ts";
import { sse } from "../test/bodies.ts";
import { calls as callsChunk, entry } from "../test/chat-chunks.ts";
import { bytesAsText, rewrite, rewriteChunks, withoutIds } from "../test/wire/rewriting.ts";
import { cutBytes, type Cuts, cutsArbitrary } from "./cuts.ts";
import { encoders } from "./encoders.ts";
import { mutated, mutationsArbitrary } from "./mutations.ts";
import { scenarioWith, streamedShape } from "./quirks.ts";
import { randomLookingId } from "./turns.ts";
import { bytesOf, callsOf, countedIds, readSteps } from "./reading.ts";
import { parameters } from "./setup.ts";

/** Any body, whole or damaged. */
const bodyArbitrary = fc
  .tuple(
    fc.constantFrom(...encoders),
    scenarioWith(),
    fc.oneof(fc.constant([]), mutationsArbitrary),
  )
  .map(([encoder, scenario, mutations]) => {
    const { turn, quirks } = encoder.fitted(scenario);
    return mutated(bytesOf(encoder.encode(turn, quirks)), mutations);
  });

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

function isSaid({ data }: { readonly data: string }): boolean {
  return data !== "";
}

/** What a call is, its ids aside. */
function factsOf({ id: _id, providerId: _providerId, ...facts }: ToolCall): object {
  return { ...facts, error: facts.error?.code };
}

// Seen to fail with a `\n` that never belongs to the `\r` before it, in EventBytes.
test("Cuts do not matter on the wire", () => {
  fc.assert(
    fc.property(bodyArbitrary, cutsArbitrary, (bytes, cuts) => {
      const output = bytesAsText(rewrite(cutBytes(bytes, cuts)));
      expect(output).toBe(bytesAsText(rewrite([bytes])));
    }),
    parameters(),
  );
});

// Seen to fail with lines that are taken for one byte shorter in EventData.placed.
test("On the wire, nothing changes but ids", () => {
  fc.assert(
    fc.property(bodyArbitrary, (bytes) => {
      expect(withoutIds(rewrite([bytes]))).toBe(withoutIds(bytes));
    }),
    parameters(),
  );
});

// Seen to fail with a byte order mark that is left out of the parts.
test("A body without calls passes as it is", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...encoders),
      scenarioWith(),
      mutationsArbitrary,
      (encoder, scenario, mutations) => {
        const { turn, quirks } = encoder.fitted(scenario);
        const choices = turn.choices.map((choice) => Object.assign(choice, { calls: [] }));
        // Behind an error, clients may read on: there, too, each call is given an id.
        const body = encoder.encode({ ...turn, choices }, { ...quirks, hasAfterword: false });
        const bytes = mutated(bytesOf(body), mutations);
        // What mutations cut away may have kept apart what is a call together.
        fc.pre(readSteps([bytes]).completion.toolCalls.length === 0);
        expect(rewrite([bytes])).toEqual(bytes);
      },
    ),
    parameters(),
  );
});

// Seen to fail with events that end with the next chunk.
test("An event is passed on as soon as it is whole", () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...encoders),
      scenarioWith({ shape: streamedShape }),
      (encoder, scenario) => {
        const { turn, quirks } = encoder.fitted(scenario);
        const frames = encoder.frames(turn, quirks).map(({ text }) => bytesOf(text));
        const output = rewriteChunks(frames);
        const count = quirks.lacksLastBlankLine ? frames.length - 1 : frames.length;
        for (const [position, frame] of frames.slice(0, count).entries()) {
          expect(withoutIds(output[position] as Uint8Array)).toBe(withoutIds(frame));
        }
      },
    ),
    parameters(),
  );
});

// Seen to fail with a fresh id for each delta.
test("The same calls are read from the output, each with an id of its own", () => {
  fc.assert(
    fc.property(bodyArbitrary, (bytes) => {
      const before = readSteps([bytes], { generateId: countedIds() });
      const after = readSteps([rewrite([bytes])], { generateId: countedIds() });
      const isByArguments = [before, after].some(({ completion: { diagnostics } }) =>
        diagnostics.some(({ code }) => code === "repeated-call" || code === "further-call"),
      );
      if (isByArguments) return;
      const calls = callsOf(after.steps.flat());
      expect(calls.map(factsOf)).toEqual(callsOf(before.steps.flat()).map(factsOf));
      expect(after.error?.message).toBe(before.error?.message);
      const ids = calls.flatMap(({ providerId }) => providerId ?? []);
      expect(new Set(ids).size).toBe(ids.length);
      const kept = ids.filter((id) => !id.startsWith("fresh-"));
      expect(kept.filter((id) => !isRandomId(id) && !isStateId(id))).toEqual([]);
    }),
    parameters<[Uint8Array]>({
      "a bracket behind a byte that begins a byte order mark": [
        Uint8Array.from([0xef, ...bytesOf(`[\n\n${sse(callsChunk(entry(0, "a", "f", "{}")))}`)]),
      ],
    }),
  );
});

/** What came out of one turn, and whether its calls cannot be told by their ids. */
function readTurn(bytes: Uint8Array): { ids: string[]; isByArguments: boolean } {
  const { completion } = readSteps([bytes]);
  const codes = new Set(completion.diagnostics.map(({ code }) => code));
  return {
    ids: completion.toolCalls.flatMap(({ providerId }) => providerId ?? []),
    isByArguments: codes.has("repeated-call") || codes.has("further-call"),
  };
}

// Seen to fail without `usedIds`, and with an id that stays for a second call in UniqueIds.
test("Ids on the wire are unique in every history", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(bodyArbitrary, fc.boolean(), randomLookingId), {
        minLength: 1,
        maxLength: 5,
      }),
      (turns) => {
        const history = new Set<string>();
        let last: Uint8Array = new Uint8Array(0);
        for (const [bytes, isReplayed, id] of turns) {
          // A server that repeats its answer, and one that makes its ids of what repeats.
          const body = isReplayed ? last : bytesOf(utf8.decode(bytes).replaceAll("call_0", id));
          last = body;
          const output = rewrite([body], { usedIds: history, generateId: undefined });
          const { ids, isByArguments } = readTurn(output);
          if (isByArguments) return;
          expect(new Set([...history, ...ids]).size).toBe(history.size + ids.length);
          for (const each of ids) history.add(each);
        }
      },
    ),
    parameters(),
  );
});

/** Lines, each with what ends it. */
type Lines = [string, "\n" | "\r\n" | "\r" | "\n\n" | "\r\n\r\n" | "\r\r"][];

// Seen to fail with the limit in bytes, and with a `\r` that is always a line end of its own.
test("Events and their data are those that the reading side finds", () => {
  const lineArbitrary = fc.oneof(
    fc.constantFrom(
      "",
      "data",
      "data:",
      "data: ",
      "data:  x",
      ": c",
      ":",
      "event: e",
      "event:",
      "id: 1",
    ),
    fc.string({ unit: "binary", maxLength: 6 }),
    fc.string({ maxLength: 6 }).map((text) => `data: ${text}`),
  );
  fc.assert(
    fc.property(
      fc.array(
        fc.tuple(lineArbitrary, fc.constantFrom("\n", "\r\n", "\r", "\n\n", "\r\n\r\n", "\r\r")),
      ),
      fc.constantFrom("", "\uFEFF", "\n"),
      cutsArbitrary,
      fc.integer({ min: 1, max: 40 }),
      (lines, start, cuts, maxEventLength) => {
        const bytes = bytesOf(start + lines.flat().join(""));
        const reader = new SseReader(maxEventLength);
        const expected = [...reader.push(bytes), ...reader.end()];
        const events = new EventBytes(maxEventLength);
        const parts = cutBytes(bytes, cuts).flatMap((chunk) => events.push(chunk));
        parts.push(...events.end());
        expect(bytesAsText(joined(parts.map((part) => part.bytes)))).toBe(bytesAsText(bytes));
        if (expected.some(({ kind }) => kind === "body")) return;
        const tooLong = parts.findIndex(({ kind }) => kind === "too-long");
        expect(tooLong !== -1).toBe(reader.failure === "too-long");
        const found = parts
          .slice(0, tooLong === -1 ? parts.length : tooLong)
          .filter(({ kind }) => kind !== "skipped")
          .map(({ kind, bytes: part }) => {
            const data = new EventData(part);
            return { kind, name: data.name, data: utf8.decode(data.bytes) };
          });
        expect(found.filter(isSaid)).toEqual(expected.filter(isSaid));
      },
    ),
    parameters<[Lines, "" | "\uFEFF" | "\n", Cuts, number]>({
      "a character that begins like a byte order mark": [[["\uF000 four", "\n"]], "", [], 6],
    }),
  );
});
