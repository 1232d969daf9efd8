import * as fc from "fast-check";
import { expect, test } from "vitest";
import { sse } from "../test/bodies.ts";
import { assembledWhole, type ModelledCall, UndefinedByRules } from "./model.ts";
import { callsOf, readSteps } from "./reading.ts";
import { parameters } from "./setup.ts";

/** Pieces of which arguments are made, in any order: most of it is wrong, and all of it is sent. */
const TOKENS = [
  "{",
  "}",
  "[",
  "]",
  '"a"',
  '"b":',
  ":",
  ",",
  " ",
  "1",
  "-0.5e3",
  "true",
  "null",
  '"',
  "\\",
  "\\u00",
  "é",
  "{}",
  '{"a":1}',
  '{ "a": 1 }',
  '{"a":{"b":[2]}}',
  '["x"]',
  '"{\\"a\\":1}"',
  "<|end|>",
];

const fragmentArbitrary = fc
  .array(fc.constantFrom(...TOKENS), { maxLength: 3 })
  .map((tokens) => tokens.join(""));

/** Fragments by event, and which call each is for. */
type Events = { readonly index: number; readonly text: string }[][];

const eventsArbitrary: fc.Arbitrary<Events> = fc.array(
  fc.array(fc.record({ index: fc.nat({ max: 2 }), text: fragmentArbitrary }), {
    minLength: 1,
    maxLength: 3,
  }),
  { maxLength: 6 },
);

const reasonsArbitrary = fc.oneof(
  fc.constantFrom<string[][]>(["stop"], []),
  fc.array(fc.constantFrom("stop", "length"), { maxLength: 2 }),
);

function bodyOf(events: Events, reasons: readonly string[], isDone: boolean): string {
  const named = new Set<number>();
  const payloads = events.map((deltas) => {
    const calls = deltas.map(({ index, text }) => {
      const isFirst = !named.has(index);
      named.add(index);
      const id = `id-${index}`;
      return isFirst
        ? { index, id, function: { name: `tool-${index}`, arguments: text } }
        : { index, function: { arguments: text } };
    });
    return { choices: [{ index: 0, delta: { tool_calls: calls } }] };
  });
  const finish = reasons.map((reason) => ({
    choices: [{ index: 0, delta: {}, finish_reason: reason }],
  }));
  return sse(...payloads, ...finish, ...(isDone ? ["[DONE]"] : []));
}

/** What the model says; nothing where the rules leave it open. */
function modelled(body: string): ModelledCall[] | undefined {
  try {
    return assembledWhole(body);
  } catch (error) {
    if (error instanceof UndefinedByRules) return undefined;
    throw error;
  }
}

function keyOf({ providerId, arguments: text }: ModelledCall): string {
  return `${providerId} ${text}`;
}

function sorted(calls: readonly ModelledCall[]): ModelledCall[] {
  return calls.slice().sort((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1));
}

// Seen to fail with `position - 1` returned for `position` by JsonEnd.scan.
test("A naive assembler of the whole body gives the same calls", () => {
  fc.assert(
    fc.property(eventsArbitrary, reasonsArbitrary, fc.boolean(), (events, reasons, isDone) => {
      const body = bodyOf(events, reasons, isDone);
      const expected = modelled(body);
      fc.pre(expected !== undefined);
      const calls = callsOf(readSteps([body]).steps.flat()).map((call): ModelledCall => ({
        providerId: call.providerId ?? "",
        name: call.name,
        arguments: call.arguments,
        isComplete: call.status === "complete",
      }));
      expect(sorted(calls)).toEqual(sorted(expected));
    }),
    parameters<[Events, string[], boolean]>({
      "an empty object, repeated behind white space": [
        [[{ index: 0, text: " {}{}" }]],
        ["stop"],
        false,
      ],
    }),
  );
});
