import * as fc from "fast-check";

/** A change to the bytes of a body, at a position that is taken modulo their number. */
export interface Mutation {
  readonly kind: "replace" | "insert" | "remove" | "repeat" | "truncate";
  readonly position: number;
  readonly length: number;
  /** For `replace` and `insert`. */
  readonly text: string;
}

/** Bytes that mean something somewhere, so that a change does more than to spoil a letter. */
const PIECES = [
  ...'\n|\r|\r\n|\n\n|:|data:|data: |event: error\n|[DONE]|{|}|[|]|"|\\|,|null|0'.split("|"),
  "\uFEFF",
  "é",
  "😀",
  "\u0000",
  '{"error":{"message":"no"}}',
  'data: {"choices":[]}',
];

/** Changes that a bad network, or a bad proxy, makes to a body. */
export const mutationsArbitrary: fc.Arbitrary<Mutation[]> = fc.array(
  fc.record({
    kind: fc.constantFrom<Mutation["kind"]>("replace", "insert", "remove", "repeat", "truncate"),
    position: fc.nat({ max: 9999 }),
    length: fc.integer({ min: 1, max: 40 }),
    text: fc.constantFrom(...PIECES),
  }),
  { maxLength: 3 },
);

const encoder = new TextEncoder();

export function mutated(bytes: Uint8Array, mutations: readonly Mutation[]): Uint8Array {
  let result = bytes;
  for (const { kind, position, length, text } of mutations) {
    const start = position % (result.length + 1);
    const end = Math.min(start + length, result.length);
    const [before, cut, after] = [
      result.subarray(0, start),
      result.subarray(start, end),
      result.subarray(end),
    ];
    const put = encoder.encode(text);
    const parts = {
      replace: [before, put, result.subarray(start + put.length)],
      insert: [before, put, cut, after],
      remove: [before, after],
      repeat: [before, cut, cut, after],
      truncate: [before],
    };
    result = concatenated(parts[kind]);
  }
  return result;
}

function concatenated(parts: readonly Uint8Array[]): Uint8Array {
  const result = new Uint8Array(parts.reduce((length, part) => length + part.length, 0));
  let position = 0;
  for (const part of parts) {
    result.set(part, position);
    position += part.length;
  }
  return result;
}
