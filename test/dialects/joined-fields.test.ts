import { expect, test, vi } from "vitest";
import { JoinedFields } from "../../src/dialects/joined-fields.ts";
import { MAX_DEPTH } from "../../src/json/json-value.ts";
import type { JsonObject } from "../../src/index.ts";

/** What comes of the pieces of a field `x`. */
function joined(pieces: readonly unknown[], field = "x"): unknown {
  const fields = new JoinedFields();
  for (const piece of pieces) fields.add(field, piece);
  return fields.write()[field];
}

/** A value in as many objects as can be written. */
const deep = (json: string): unknown =>
  JSON.parse('{"a":'.repeat(MAX_DEPTH - 1) + json + "}".repeat(MAX_DEPTH - 1));

const text = (value: string, rest: object = {}): object => ({ type: "text", text: value, ...rest });
const detail = (value: string, rest: object = {}): object => ({
  type: "reasoning.text",
  text: value,
  ...rest,
});

test.each<[string, unknown[], unknown]>([
  ["null and empty values", [null, "", [], {}, [null], { a: "" }], undefined],
  ["a value before null and empty ones", [{ a: 1 }, null, "", [], {}, { a: null }], { a: 1 }],
  [
    "numbers and booleans",
    [
      { a: 1, b: true },
      { a: 0, b: false },
    ],
    { a: 0, b: false },
  ],
  ["a number behind a string", ["a", 1], 1],
  [
    "a piece of text that was there before, behind another element",
    [[text("a")], [{ type: "image" }], [text("a")], [{ type: "image" }]],
    [text("a"), { type: "image" }, text("a")],
  ],
  ["a string behind a number", [1, "a"], "a"],
  ["an object behind a number", [1, { a: 1 }], { a: 1 }],
  ["a list behind a number", [1, ["a"]], ["a"]],
  ["objects", [{ a: { b: 1 } }, { a: { c: 2 }, d: 3 }], { a: { b: 1, c: 2 }, d: 3 }],
  ["strings that differ", ["a", "a", "b", "a", "a"], "aabaa"],
  ["equal strings", ["a", "a", "a"], "a"],
  ["a text in an object", [{ text: "a" }, { text: "a" }], { text: "aa" }],
  ["a number in a text", [{ text: "a" }, { text: 6 }, { text: 0 }], { text: "a60" }],
  ["labels", [{ id: "a", name: "n" }, { id: "b" }], { id: "b", name: "n" }],
  ["a string behind an object", [{ text: "a" }, "b"], { text: "ab" }],
  ["an object behind a string", ["a", { text: "b", c: 1 }], { text: "ab", c: 1 }],
  ["a string behind a list", [[text("a")], "b"], [text("ab")]],
  ["a list behind a string", ["a", [text("b"), text("c")]], [text("ab"), text("c")]],
  ["an object behind a list", [[text("a")], text("b")], [text("ab")]],
  ["a list behind an object", [text("a"), [{ type: "image" }]], [text("a"), { type: "image" }]],
  ["lists", [["a"], ["b"]], ["a", "b"]],
  ["numbers in lists", [[1], [1, true], [true]], [1, 1, true, true]],
  ["lists in lists", [[[1]], [[1]]], [[1], [1]]],
  ["strings that are there", [["a", "a"], ["a", "b"], ["b"]], ["a", "a", "b"]],
  [
    "objects that are there",
    [[{ a: 1 }, { a: 1 }], [{ a: 1 }, { a: 2 }], [{ a: 2 }]],
    [{ a: 1 }, { a: 1 }, { a: 2 }],
  ],
  ["elements by index", [[{ index: 0, a: 1 }], [{ index: 0, b: 2 }]], [{ index: 0, a: 1, b: 2 }]],
  ["elements of one delta", [[text("a"), text("b")], [text("c")]], [text("a"), text("bc")]],
  [
    "elements with one index in one delta",
    [
      [{ index: 0, a: 1 }],
      [
        { index: 0, b: 2 },
        { index: 0, c: 3 },
      ],
    ],
    [
      { index: 0, a: 1, b: 2 },
      { index: 0, c: 3 },
    ],
  ],
  [
    "one index, two types",
    [[detail("a", { index: 0 })], [{ type: "reasoning.encrypted", data: "d", index: 0 }]],
    [detail("a", { index: 0 }), { type: "reasoning.encrypted", data: "d", index: 0 }],
  ],
  [
    "one index, two ids",
    [[detail("a", { index: 0, id: "a" })], [detail("b", { index: 0, id: "b" })]],
    [detail("a", { index: 0, id: "a" }), detail("b", { index: 0, id: "b" })],
  ],
  [
    "one index, with id and without",
    [[detail("a", { index: 0, id: "a" })], [{ index: "0", text: "b" }]],
    [detail("ab", { index: "0", id: "a" })],
  ],
  [
    "two indices, one type",
    [[detail("a", { index: 0 })], [detail("b", { index: 1 })], [detail("c", { index: 0 })]],
    [detail("ac", { index: 0 }), detail("b", { index: 1 })],
  ],
  [
    "one id",
    [[{ id: "a", v: 1 }], [{ id: "b" }], [{ id: "a", w: 2 }]],
    [{ id: "a", v: 1, w: 2 }, { id: "b" }],
  ],
  [
    "one id, two types",
    [[{ id: "a", type: "t" }], [{ id: "a", type: "u" }], [{ id: "a", type: "t", v: 1 }]],
    [
      { id: "a", type: "t", v: 1 },
      { id: "a", type: "u" },
    ],
  ],
  [
    "one id, with type and without",
    [[{ id: "a", type: "t" }], [{ id: "a", v: 1 }]],
    [{ id: "a", type: "t", v: 1 }],
  ],
  [
    "an index and an id",
    [[{ index: "a", v: 1 }], [{ id: "a", w: 1 }]],
    [
      { index: "a", v: 1 },
      { id: "a", w: 1 },
    ],
  ],
  [
    "an object as type and id",
    [[{ id: { toString: 1 }, type: {} }], [{ id: { toString: 1 }, type: 1 }]],
    [{ id: { toString: 1 } }, { id: { toString: 1 }, type: 1 }],
  ],
  [
    "pieces of text",
    [[detail("a")], [detail("b")], [text("c")], [detail("d")]],
    [detail("ab"), text("c"), detail("d")],
  ],
  [
    "a signature behind the text",
    [[detail("a")], [detail("", { signature: "s" })], [detail("b")]],
    [detail("a", { signature: "s" }), detail("b")],
  ],
  [
    "a signature with all of the text",
    [[detail("ab")], [detail("cd")], [detail("abcd", { signature: "s" })]],
    [detail("abcd", { signature: "s" })],
  ],
  [
    "a signature with all of the text in a list",
    [
      [{ type: "thinking", thinking: [text("a")] }],
      [{ type: "thinking", thinking: [text("a")], signature: "s" }],
    ],
    [{ type: "thinking", thinking: [text("a")], signature: "s" }],
  ],
  [
    "a signature with the rest of the text",
    [[detail("ab")], [detail("cd", { signature: "s" })]],
    [detail("abcd", { signature: "s" })],
  ],
  [
    "signed elements that come again",
    [
      [detail("a")],
      [detail("b", { signature: "s" })],
      [detail("c", { signature: "t" })],
      [detail("ab", { signature: "s" }), detail("c", { signature: "t" })],
    ],
    [detail("ab", { signature: "s" }), detail("c", { signature: "t" })],
  ],
  [
    "an element that was another one before",
    [[text("a")], [text("b")], [{ type: "image" }], [text("a")]],
    [text("ab"), { type: "image" }, text("a")],
  ],
])("Pieces are joined: %s", (_name, pieces, whole) => {
  expect(joined(pieces)).toEqual(whole);
});

test.each<[string, string, unknown[], unknown]>([
  ["content", "content", ["a", "a"], "aa"],
  ["the data of audio", "audio", [{ data: "a" }, { data: "a" }], { data: "aa" }],
  ["other data", "x", [{ data: "a" }, { data: "a" }], { data: "a" }],
  ["a label", "role", ["a", "b"], "b"],
  ["a label that becomes an object", "name", ["a", { b: 1 }], { b: 1 }],
])("Names decide how strings are joined: %s", (_name, field, pieces, whole) => {
  expect(joined(pieces, field)).toEqual(whole);
});

test("A field that is named as a prototype is a field", () => {
  const piece: JsonObject = JSON.parse('{"__proto__":{"__proto__":1}}');
  const fields = new JoinedFields();
  fields.add("x", piece);
  expect(JSON.stringify(fields.write())).toBe('{"x":{"__proto__":{"__proto__":1}}}');
});

test("What is nested as deep as can be written is joined", () => {
  expect(joined([deep('{"b":1}'), deep('{"c":[2]}')])).toEqual(deep('{"b":1,"c":[2]}'));
});

test("The size is that of the value, whatever has come", () => {
  const fields = new JoinedFields();
  let size = 0;
  for (let count = 0; count < 100; count += 1) size += fields.add("x", "1234");
  expect(size).toBe('x"1234"'.length);
  fields.add("y", [{ index: 0, text: "a" }]);
  expect(fields.add("y", [{ index: 0, text: "bc" }])).toBe(2);
});

// The JSON of elements is what their comparison costs.
test("Long lists, and elements of long texts, cost what has come", () => {
  const fields = new JoinedFields();
  const stringify = vi.spyOn(JSON, "stringify");
  for (let count = 0; count < 1000; count += 1) {
    fields.add("images", [{ type: "image", url: `${count}` }]);
    fields.add("details", [detail("abcdefgh".repeat(4), { index: 0 })]);
    fields.add("blocks", [detail("ab"), { type: "t", id: `${count % 10}`, signature: `${count}` }]);
  }
  const costs = stringify.mock.results.map(({ value }) => String(value).length);
  stringify.mockRestore();
  expect(costs.reduce((sum, cost) => sum + cost)).toBeLessThan(1000 * 500);
  expect(fields.write()["images"]).toHaveLength(1000);
});
