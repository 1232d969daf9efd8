/** The ways in which a body is cut into chunks: the result must be the same for each. */
export const CUTS: readonly { readonly name: string; cut(bytes: Uint8Array): Uint8Array[] }[] = [
  { name: "whole", cut: (bytes) => [bytes] },
  ...[1, 2, 3, 7, 1400].map((size) => ({
    name: `${size} bytes`,
    cut: (bytes: Uint8Array) => cutEvery(bytes, () => size),
  })),
  ...[1, 2, 3].map((seed) => ({
    name: `random, seed ${seed}`,
    cut: (bytes: Uint8Array) => cutEvery(bytes, randomSizes(seed)),
  })),
];

function cutEvery(bytes: Uint8Array, nextSize: () => number): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  for (let start = 0; start < bytes.length;) {
    const end = Math.min(bytes.length, start + nextSize());
    chunks.push(bytes.slice(start, end));
    start = end;
  }
  return chunks;
}

/** Sizes from 0 to 63, the same for the same seed (a linear congruential generator). */
function randomSizes(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 26;
  };
}
