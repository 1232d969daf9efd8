import { expect, test } from "vitest";
import { mintId } from "../src/ids.ts";

test("mintId gives ids that every server takes, never twice", () => {
  const ids = Array.from({ length: 10_000 }, mintId);
  expect(new Set(ids).size).toBe(ids.length);
  for (const id of ids) expect(id).toMatch(/^call_[a-z0-9]{24,35}$/);
});

test("mintId uses every symbol about equally often", () => {
  const counts = new Map<string, number>();
  for (let round = 0; round < 2000; round += 1) {
    for (const symbol of mintId().slice("call_".length)) {
      counts.set(symbol, (counts.get(symbol) ?? 0) + 1);
    }
  }
  expect(counts.size).toBe(32);
  // 1,750 expected for each; 6 standard deviations are 250.
  for (const count of counts.values()) expect(Math.abs(count - 1750)).toBeLessThan(250);
});
