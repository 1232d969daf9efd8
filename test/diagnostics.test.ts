import { expect, test } from "vitest";
import { Diagnostics } from "../src/diagnostics.ts";
import type { Diagnostic } from "../src/index.ts";

test("Diagnostics beyond the first 1,000 are only counted", () => {
  const seen: Diagnostic[] = [];
  const diagnostics = new Diagnostics((diagnostic) => seen.push(diagnostic));
  for (let number = 0; number < 1005; number += 1) {
    diagnostics.event = number;
    diagnostics.add("damaged-event", "error", "Lost");
  }
  expect(diagnostics.count).toBe(1005);
  expect(diagnostics.list).toHaveLength(1000);
  expect(seen).toEqual(diagnostics.list);
  expect(seen[999]).toEqual({
    code: "damaged-event",
    severity: "error",
    message: "Lost",
    event: 999,
    id: undefined,
  });
});

test("Diagnostics ignore what the observer throws", () => {
  const diagnostics = new Diagnostics(() => {
    throw new Error("observer");
  });
  expect(diagnostics.add("late-text", "warning", "Dropped", "call_1")).toMatchObject({
    id: "call_1",
  });
});
