import { expect, test } from "vitest";
import type { JsonObject } from "../../src/index.ts";
import { findSplices, spliced } from "../../src/wire/id-splices.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The text with another `id` in the object at a path, where it has a place for one. */
function withId(text: string, path: readonly (string | number)[], isRequired = false): string {
  const value: unknown = JSON.parse(text);
  let holder = value as Record<string, unknown>;
  for (const key of path) holder = holder[key] as Record<string, unknown>;
  const edits = new Map([[holder as JsonObject, [{ field: "id", value: "NEW", isRequired }]]]);
  const bytes = encoder.encode(text);
  return decoder.decode(spliced(bytes, findSplices(bytes, 0, value, edits)));
}

test.each<[string, string, (string | number)[], string]>([
  ["where it is", '{"id":"a","b":{"id":"c"}}', [], '{"id":"NEW","b":{"id":"c"}}'],
  ["further in", '{"id":"a","b":[1,{"id":"c"}]}', ["b", 1], '{"id":"a","b":[1,{"id":"NEW"}]}'],
  ["with white space", ' { "id" : "a" , "b" : [ ] } ', [], ' { "id" : "NEW" , "b" : [ ] } '],
  [
    "behind all kinds of values",
    '{"a":"\\"}","b":-1.5e3,"c":[true,{}],"é":null,"id":"x"}',
    [],
    '{"a":"\\"}","b":-1.5e3,"c":[true,{}],"é":null,"id":"NEW"}',
  ],
  ["under an escaped key", '{"\\u0069d":"a"}', [], '{"\\u0069d":"NEW"}'],
  ["under each of two equal keys", '{"id":"a","id":"b"}', [], '{"id":"NEW","id":"NEW"}'],
  [
    "in each of two equal objects",
    '{"b":{"id":"a"},"b":{"id":"c"}}',
    ["b"],
    '{"b":{"id":"NEW"},"b":{"id":"NEW"}}',
  ],
  [
    "not in what an equal key replaces by something else",
    '{"b":{"id":"a"},"b":[{"id":"a"}],"b":1,"id":"a"}',
    [],
    '{"b":{"id":"a"},"b":[{"id":"a"}],"b":1,"id":"NEW"}',
  ],
  [
    "not in a key that only ends so",
    '{"\uFEFFid":"a","id ":"b"}',
    [],
    '{"\uFEFFid":"a","id ":"b"}',
  ],
  ["that is a number", '{"id":-7,"id":0}', [], '{"id":"NEW","id":"NEW"}'],
  ["that is a number before white space", '{"id":-7 ,"b":1}', [], '{"id":"NEW" ,"b":1}'],
  ["not where it is empty", '{"id":"","id":null,"id":true}', [], '{"id":"","id":null,"id":true}'],
  ["not where there is none", "{}", [], "{}"],
])("findSplices replaces an id %s", (_name, text, path, expected) => {
  expect(withId(text, path)).toBe(expected);
});

test.each<[string, string, string]>([
  ["an empty one", '{"id":"","b":1}', '{"id":"NEW","b":1}'],
  ["null", '{"b":1,"id":null}', '{"b":1,"id":"NEW"}'],
  ["a number", '{"id":-7,"b":1}', '{"id":"NEW","b":1}'],
  ["a word", '{"id":true,"b":1}', '{"id":"NEW","b":1}'],
  ["none", ' { "b":[{"id":1}]}', ' {"id":"NEW", "b":[{"id":1}]}'],
  ["none, in an empty object", "{ }", '{"id":"NEW" }'],
])("findSplices puts a required id in the place of %s", (_name, text, expected) => {
  expect(withId(text, [], true)).toBe(expected);
});

test("findSplices leaves what is no id, also where one is required", () => {
  for (const text of ['{"id":{"id":[1]},"b":1}', '{"id":[{}]}']) {
    expect(withId(text, [], true)).toBe(text);
  }
});

test("findSplices only counts brackets where no id can be any more", () => {
  const deep = `${'{"a":['.repeat(5000)}"]}\\""${"]}".repeat(5000)}`;
  const text = `{"deep":${deep},"id":"a"}`;
  expect(withId(text, [])).toBe(`{"deep":${deep},"id":"NEW"}`);
});

test.each(["12", "", '"a"', '"a', "[1,", '{"a":{', '{"a', '{"a"'])(
  "findSplices finds nothing in %j",
  (text) => {
    expect(findSplices(encoder.encode(text), 0, undefined, new Map())).toEqual([]);
  },
);

test("findSplices ends where the bytes do, however deep", () => {
  const bytes = encoder.encode("[".repeat(100));
  expect(findSplices(bytes, 0, [], new Map())).toEqual([]);
});

test("findSplices begins where the value does", () => {
  const bytes = encoder.encode('junk {"id":"a"}');
  const value = { id: "a" };
  const edits = new Map([[value, [{ field: "id", value: '"é', isRequired: false }]]]);
  const splices = findSplices(bytes, 5, value, edits);
  expect(decoder.decode(spliced(bytes, splices))).toBe('junk {"id":"\\"é"}');
});
