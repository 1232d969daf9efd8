import { expect, test } from "vitest";
import { canonicalJson, jsonText } from "../../src/json/json-value.ts";

test.each([
  ['{"a":1,"b":[1,2]}', '{ "b": [1, 2], "a": 1.0 }', true],
  ['{"é":"\\n"}', '{"\\u00e9":"\\u000a"}', true],
  ['{"a":{"b":1,"c":2}}', '{"a":{"c":2,"b":1}}', true],
  ['{"__proto__":1}', "{}", false],
  ['{"id":9007199254740993}', '{"id":9007199254740992}', false],
  ['{"id":"9007199254740993"}', '{"id":9007199254740993}', false],
  ['{"x":1e400}', '{"x":null}', false],
  ['{"x":1e-400}', '{"x":0}', false],
  ["[1,2]", "[2,1]", false],
  ['{"a":"1"}', '{"a":1}', false],
])("canonicalJson: %s and %s are equal: %s", (a, b, isEqual) => {
  expect(canonicalJson(a) === canonicalJson(b)).toBe(isEqual);
});

test("canonicalJson gives text that is not JSON back", () => {
  expect(canonicalJson("{'a'")).toBe("{'a'");
});

test.each([
  ["undefined", undefined],
  ["a function", () => 1],
  ["a symbol", Symbol("x")],
  ["a BigInt", 1n],
])("jsonText of %s is not JSON", (_name, value) => {
  expect(jsonText(value)).toBe("?");
});

// It took an hour with an expression that began anew at every quote.
test("canonicalJson looks once at a string that does not end, however many quotes are in it", () => {
  const text = `{"a":"${'\\"'.repeat(500_000)}`;
  expect(canonicalJson(text)).toBe(text);
});
