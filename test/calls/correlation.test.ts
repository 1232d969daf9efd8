import { expect, test } from "vitest";
import {
  type CallIdentity,
  Correlation,
  type CorrelatedCall,
} from "../../src/calls/correlation.ts";

/** A call with defaults: named `f`, id `A`, open, with text. */
function callWith(facts: Partial<CorrelatedCall> = {}): CorrelatedCall {
  return {
    providerId: "A",
    name: "f",
    hasWholeText: false,
    hasText: true,
    isDamaged: false,
    isCustom: false,
    ...facts,
  };
}

const deltaWith = (delta: Partial<CallIdentity>): CallIdentity => ({
  index: undefined,
  id: undefined,
  name: undefined,
  isFurther: false,
  ...delta,
});

const complete = { hasWholeText: true };
const empty = { hasText: false };
const damaged = { isDamaged: true };
const custom = { isCustom: true };

test.each<[string, Partial<CorrelatedCall>, Partial<CallIdentity>, "same" | "new"]>([
  ["an open call, another id", {}, { id: "B" }, "same"],
  ["an open call, another name", {}, { name: "g" }, "same"],
  ["an open call, both", {}, { id: "B", name: "g" }, "same"],
  ["a complete call, nothing", complete, {}, "same"],
  ["a complete call, another id", complete, { id: "B" }, "same"],
  ["a complete call, the same name", complete, { name: "f" }, "same"],
  ["a complete call, the same id and name", complete, { id: "A", name: "f" }, "same"],
  ["a complete call, another name", complete, { name: "g" }, "new"],
  ["a complete call, the same id, another name", complete, { id: "A", name: "g" }, "new"],
  ["a complete call, another id, the same name", complete, { id: "B", name: "f" }, "new"],
  [
    "a complete call without id, an id",
    { ...complete, providerId: undefined },
    { id: "B", name: "f" },
    "same",
  ],
  ["a complete nameless call, a name", { ...complete, name: "" }, { id: "B", name: "f" }, "same"],
  ["a call without text, another id and a name", empty, { id: "B", name: "f" }, "new"],
  ["a call without text, another name", empty, { name: "g" }, "same"],
  ["a damaged call, another id and a name", damaged, { id: "B", name: "f" }, "new"],
  ["a damaged call, another name", damaged, { name: "g" }, "same"],
  ["a custom call, another id and a name", custom, { id: "B", name: "f" }, "new"],
  ["a custom call, another name", custom, { name: "g" }, "same"],
])("Correlation at a taken index: %s", (_name, facts, delta, expected) => {
  const correlation = new Correlation<CorrelatedCall>();
  const call = callWith(facts);
  correlation.assign(deltaWith({ index: "0", id: facts.providerId, name: call.name }), call);
  expect(correlation.find(deltaWith({ index: "0", ...delta }))).toBe(
    expected === "same" ? call : "new",
  );
});

test("Correlation at a taken index: an id that the call has had is no other", () => {
  const correlation = new Correlation<CorrelatedCall>();
  const call = callWith(complete);
  correlation.assign(deltaWith({ index: "0", id: "A" }), call);
  correlation.assign(deltaWith({ index: "0", id: "B" }), call);
  expect(correlation.find(deltaWith({ index: "0", id: "B", name: "f" }))).toBe(call);
});

test.each<[string, Partial<CorrelatedCall>, Partial<CallIdentity>, "same" | "new"]>([
  ["nothing", {}, {}, "same"],
  ["nothing, behind a complete call", complete, {}, "same"],
  ["the id of the call", {}, { id: "A", name: "f" }, "same"],
  ["the id of a complete call", complete, { id: "A", name: "f" }, "same"],
  ["the id alone of a complete call", complete, { id: "A" }, "same"],
  ["the id of a complete call, another name", complete, { id: "A", name: "g" }, "new"],
  ["the id of an open call, another name", {}, { id: "A", name: "g" }, "same"],
  ["a name, behind text", {}, { name: "f" }, "new"],
  ["a name, before any text", empty, { name: "f" }, "same"],
  ["a name and another id, before any text", empty, { id: "B", name: "f" }, "new"],
  ["a name, behind a complete call", complete, { name: "f" }, "new"],
  ["another id alone", {}, { id: "B" }, "same"],
  ["a name in the same list, before any text", empty, { name: "g", isFurther: true }, "new"],
  ["nothing in the same list", empty, { isFurther: true }, "same"],
])("Correlation without an index: %s", (_name, facts, delta, expected) => {
  const correlation = new Correlation<CorrelatedCall>();
  const call = callWith(facts);
  correlation.assign(deltaWith({ id: "A", name: "f" }), call);
  expect(correlation.find(deltaWith(delta))).toBe(expected === "same" ? call : "new");
});

test("Correlation without an index: the open call of the latest delta, complete ones passed over", () => {
  const correlation = new Correlation<CorrelatedCall>();
  const first = callWith();
  const second = callWith();
  const third = callWith(complete);
  correlation.assign(deltaWith({ index: "0" }), first);
  correlation.assign(deltaWith({ index: "1" }), second);
  correlation.assign(deltaWith({ index: "0" }), first);
  correlation.assign(deltaWith({ index: "2" }), third);
  expect(correlation.find(deltaWith({}))).toBe(first);
});

test("Correlation starts a call at a free index, and where there is none", () => {
  const correlation = new Correlation<CorrelatedCall>();
  expect(correlation.find(deltaWith({ index: "0" }))).toBe("new");
  expect(correlation.find(deltaWith({}))).toBe("new");
  expect(correlation.knows("A")).toBe(false);
});

test("Correlation lets a name come behind the arguments, without an index too", () => {
  const correlation = new Correlation<CorrelatedCall>();
  const call = callWith({ ...complete, name: "" });
  correlation.assign(deltaWith({ id: "A" }), call);
  expect(correlation.find(deltaWith({ name: "f" }))).toBe(call);
  expect(correlation.find(deltaWith({ id: "A", name: "f" }))).toBe(call);
});

test("Correlation continues a call that was opened without an index", () => {
  const correlation = new Correlation<CorrelatedCall>();
  const call = callWith(empty);
  correlation.assign(deltaWith({ id: "A", name: "f" }), call);
  expect(correlation.find(deltaWith({ index: "0", name: "f" }))).toBe("new");
  expect(correlation.find(deltaWith({ index: "0" }))).toBe(call);
  correlation.assign(deltaWith({ index: "0" }), call);
  expect(correlation.find(deltaWith({ index: "0" }))).toBe(call);
  expect(correlation.find(deltaWith({ index: "1" }))).toBe("new");
});
