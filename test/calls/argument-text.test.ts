import { expect, test } from "vitest";
import { ArgumentText, unwrapped } from "../../src/calls/argument-text.ts";

function textOf(...fragments: string[]): ArgumentText {
  const text = new ArgumentText();
  for (const fragment of fragments) text.append(fragment);
  return text;
}

test("ArgumentText takes a fragment up to the end of the object", () => {
  const text = textOf('{"a":');
  expect(text.append("1}</s>")).toBe(2);
  expect(`${text}`).toBe('{"a":1}');
  expect(text).toMatchObject({ isClosed: true, hasContent: true });
});

test.each([
  [["{", "}"], { isClosed: true, hasContent: false, canEnd: true, isBroken: false }],
  [["[", "]"], { isClosed: true, hasContent: false, canEnd: true, isBroken: false }],
  [["[1]"], { isClosed: true, hasContent: true, canEnd: true, isBroken: false }],
  [["1", "2"], { isClosed: false, canEnd: true, isBroken: false }],
  [["01"], { isClosed: false, canEnd: false, isBroken: true }],
  [["1x"], { isClosed: false, canEnd: false, isBroken: true }],
  [["1", " ", "2"], { isClosed: false, canEnd: false, isBroken: true }],
  [["null", " "], { isClosed: false, canEnd: true, isBroken: false }],
  [['"city"', ": 1"], { isClosed: false, canEnd: false, isBroken: true }],
  [["{'a'"], { isClosed: false, canEnd: false, isBroken: true }],
  [['{"a"'], { isClosed: false, canEnd: false, isBroken: false }],
])("ArgumentText knows what %j is", (fragments, expected) => {
  expect(textOf(...fragments)).toMatchObject(expected);
});

test.each([
  [
    "the last fragment holds all before it",
    ['{"a": 1, ', '"b": 2', '{"a": 1, "b": 2}'],
    '{"a": 1, "b": 2}',
  ],
  ["each fragment begins with the one before", ['{"a', '{"a": 1', '{"a": 1}'], '{"a": 1}'],
  ["the last fragment does not begin with what came", ['{"a": 1, ', '{"a": 2}'], undefined],
  ["the last fragment is no object", ['["a', '["a"', '["a"]'], undefined],
  ["there is one fragment", ["{'a': 1}"], undefined],
  ["the text can still become JSON", ['{"a":', '{"a":'], undefined],
])("ArgumentText repairs only repeats: %s", (_name, fragments, repaired) => {
  expect(textOf(...fragments).repaired()).toBe(repaired);
});

test.each([
  ['"{\\"k\\": 9}"', '{"k": 9}'],
  ['"{}"', "{}"],
  ['"[1]"', undefined],
  ['"[{\\"k\\": 9}]"', undefined],
  ['"text"', undefined],
  ['"{\\"k\\""', undefined],
  ['{"k": 9}', undefined],
])("unwrapped takes an object out of a string: %s", (text, expected) => {
  expect(unwrapped(text)).toBe(expected);
});
