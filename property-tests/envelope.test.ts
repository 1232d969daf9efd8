import * as fc from "fast-check";
import { expect, test } from "vitest";
import { EnvelopeReader } from "../src/envelope.ts";
import { jsonTextArbitrary } from "./json-text.ts";
import { parameters } from "./setup.ts";

/** What stands around the choices of an event, most of the time the same. */
const envelopeArbitrary = fc.constantFrom(
  ['{"id":"1","choices":', "}"],
  ['{"choices":', ',"usage":null}'],
  ['{"id":"2", "choices": ', "}"],
  ['{"a":{"choices":', "}}"],
  ['{"choices":[],"choices":', "}"],
  ['{"choices":', ',"choices":[]}'],
  ['{"a":"\\"choices\\":', '"}'],
  ['{"a":"]","choices":', ',"b":[1]}'],
  ['{"__proto__":{},"choices":', ',"constructor":1}'],
  ['[{"choices":', "}]"],
  ['"choices":', ""],
  [' {"choices":', "} "],
);

const choicesArbitrary = fc.oneof(
  fc.constantFrom("[]", "[1]", '[{"delta":{"content":"]}"}}]', "[", "]", "", "1", "null"),
  fc.constantFrom('[],"choices":[]', '[]},{"choices":[]', '[],"b":1', '"a":[]', '\\"', '"'),
  jsonTextArbitrary.map(({ text }) => text),
);

/** As JSON, in which `__proto__` shows, and in which the order of keys does not matter. */
function comparable(value: unknown): unknown {
  return value === undefined
    ? "no JSON"
    : JSON.stringify(value, (_key, member: unknown) =>
        typeof member === "object" && member !== null && !Array.isArray(member)
          ? ["{}", ...Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))]
          : member,
      );
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

// Seen to fail with `isExact` of EnvelopeReader.#learn taken to be true.
test("An envelope that is known is read as JSON.parse reads it", () => {
  fc.assert(
    fc.property(
      fc.array(envelopeArbitrary, { minLength: 1, maxLength: 2 }),
      fc.array(fc.tuple(fc.nat({ max: 9 }), choicesArbitrary), { maxLength: 8 }),
      (envelopes, events) => {
        const reader = new EnvelopeReader();
        for (const [number, choices] of events) {
          const [head = "", tail = ""] = envelopes[number % envelopes.length] ?? [];
          const text = head + choices + tail;
          expect(comparable(reader.read(text))).toBe(comparable(parsed(text)));
        }
      },
    ),
    parameters(),
  );
});
