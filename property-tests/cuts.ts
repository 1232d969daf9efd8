import * as fc from "fast-check";

/** Where a cut goes: among all places of that kind, the one of this number, cyclically. */
export interface Cut {
  readonly place: "anywhere" | "code-point" | "line-end" | "blank-line" | "escape";
  readonly number: number;
}

export type Cuts = readonly Cut[] | "every byte";

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
        number: fc.nat({ max: 9999 }),
      }),
      { maxLength: 12 },
    ),
    weight: 19,
  },
  // Costly, and most of what it finds a few cuts find too.
  { arbitrary: fc.constant<Cuts>("every byte"), weight: 1 },
);

export function cutBytes(bytes: Uint8Array, cuts: Cuts): Uint8Array[] {
  const starts = [0, ...positionsOf(bytes, cuts, (byte) => (byte & 0xc0) === 0x80)];
  return starts.map((start, count) => bytes.subarray(start, starts[count + 1]));
}

/** As {@link cutBytes}; inside of a code point is then between the halves of a surrogate pair. */
export function cutText(text: string, cuts: Cuts): string[] {
  const units = Array.from({ length: text.length }, (_unit, position) => text.charCodeAt(position));
  const starts = [0, ...positionsOf(units, cuts, (unit) => (unit & 0xfc00) === 0xdc00)];
  return starts.map((start, count) => text.slice(start, starts[count + 1]));
}

function positionsOf(
  units: ArrayLike<number>,
  cuts: Cuts,
  isContinuation: (unit: number) => boolean,
): number[] {
  if (cuts === "every byte") return Array.from(units, (_unit, position) => position);
  return cuts
    .map(({ place, number }) => {
      const places = place === "anywhere" ? [] : placesOf(units, place, isContinuation);
      return places[number % Math.max(places.length, 1)] ?? number % (units.length + 1);
    })
    .sort((a, b) => a - b);
}

function placesOf(
  units: ArrayLike<number>,
  place: Exclude<Cut["place"], "anywhere">,
  isContinuation: (unit: number) => boolean,
): number[] {
  const isPlace = {
    "code-point": (_before: number, after: number) => isContinuation(after),
    "line-end": (before: number, after: number) => before === 0x0d && after === 0x0a,
    "blank-line": (before: number, after: number) => isLineEnd(before) && isLineEnd(after),
    escape: (before: number) => before === 0x5c,
  }[place];
  const places: number[] = [];
  for (let position = 1; position < units.length; position += 1) {
    if (isPlace(units[position - 1] ?? 0, units[position] ?? 0)) places.push(position);
  }
  return places;
}

function isLineEnd(unit: number): boolean {
  return unit === 0x0a || unit === 0x0d;
}
