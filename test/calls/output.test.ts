import { expect, test } from "vitest";
import type { ChatEvent, Diagnostic } from "../../src/index.ts";
import { Output } from "../../src/calls/output.ts";

test("diagnostics beyond the first 1,000 are only counted", () => {
  const seen: Diagnostic[] = [];
  const output = new Output((diagnostic) => seen.push(diagnostic), false);
  for (let number = 0; number < 1005; number += 1) {
    output.nextEvent();
    output.report("damaged-event", "Lost", true);
  }
  expect(output.diagnosticCount).toBe(1005);
  expect(output.diagnostics).toHaveLength(1000);
  expect(output.take()).toHaveLength(1000);
  expect(seen).toEqual(output.diagnostics);
  expect(seen[999]).toEqual({
    code: "damaged-event",
    severity: "error",
    message: "Lost",
    event: 999,
    id: undefined,
  });
});

test("what an observer of diagnostics throws is ignored", () => {
  const output = new Output(() => {
    throw new Error("observer");
  }, false);
  output.report("late-text", "Dropped", false, "call_1");
  expect(output.diagnostics).toMatchObject([{ severity: "warning", id: "call_1" }]);
});

test("an output of calls only keeps no other event", () => {
  const text: ChatEvent = { type: "text", text: "t", choice: 0 };
  const all = new Output(() => {}, false);
  const callsOnly = new Output(() => {}, true);
  for (const output of [all, callsOnly]) output.emit(text);
  expect(all.take()).toEqual([text]);
  expect(callsOnly.take()).toEqual([]);
});
