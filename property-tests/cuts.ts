import * as fc from "fast-check";

/** Where a cut goes: among all places of that kind, the one of this number, cyclically. */
export interface Cut {
  readonly place: "anywhere" | "code-point" | "line-end" | "blank-line" | "escape";
  readonly number: number;
}

export type Cuts = readonly Cut[] | "every byte";

const numberArbitrary = fc.nat({ max: 9999 });

/**
 * Any list of cuts, those that hurt among them: inside of a code point, between `\r` and `\n`,
 * between the two line ends of a blank line, inside of an escape. Two at one place make an empty
 * chunk.
 */
export const cutsArbitrary: fc.Arbitrary<Cuts> = fc.oneof(
  {
    arbitrary: fc.array(
      fc.record({
        place: fc.constantFrom<Cut["place"][]>(
          "anywhere",
          "code-point",
          "line-end",
          "blank-line",
          "escape",
        ),
        number: numberArbitrary,
      }),
      { maxLength: 12 },
    ),
    weight: 19,
  },
  // Costly, and most of what it finds a few cuts find too.
  { arbitrary: fc.constant<Cuts>("every byte"), weight: 1 },
);

export function cutBytes(bytes: Uint8Array, cuts: Cuts): Uint8Array[] {
  const positions =
    cuts === "every byte"
      ? Array.from(bytes, (_byte, position) => position)
      : cuts.map((cut) => positionOf(bytes, cut)).sort((a, b) => a - b);
  const starts = [0, ...positions];
  return starts.map((start, count) => bytes.subarray(start, starts[count + 1]));
}

/** Cuts of a text, between the halves of a surrogate pair too. */
export const textCutsArbitrary: fc.Arbitrary<number[]> = fc.array(numberArbitrary, {
  maxLength: 12,
});

export function cutText(text: string, cuts: readonly number[]): string[] {
  const positions = cuts.map((number) => number % (text.length + 1)).sort((a, b) => a - b);
  const starts = [0, ...positions];
  return starts.map((start, count) => text.slice(start, starts[count + 1]));
}

function positionOf(bytes: Uint8Array, { place, number }: Cut): number {
  const places = place === "anywhere" ? [] : placesOf(bytes, place);
  return places[number % Math.max(places.length, 1)] ?? number % (bytes.length + 1);
}

function placesOf(bytes: Uint8Array, place: Exclude<Cut["place"], "anywhere">): number[] {
  const places: number[] = [];
  for (let position = 1; position < bytes.length; position += 1) {
    const before = bytes[position - 1] as number;
    const after = bytes[position] as number;
    if (isPlace(place, before, after)) places.push(position);
  }
  return places;
}

function isPlace(place: Exclude<Cut["place"], "anywhere">, before: number, after: number): boolean {
  switch (place) {
    case "code-point":
      return (after & 0xc0) === 0x80;
    case "line-end":
      return before === 0x0d && after === 0x0a;
    case "blank-line":
      return (before === 0x0a || before === 0x0d) && (after === 0x0a || after === 0x0d);
    case "escape":
      return before === 0x5c;
    default:
      return place satisfies never;
  }
}
