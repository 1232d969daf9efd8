import { expect, test } from "vitest";
import { LateText } from "../../src/calls/late-text.ts";

test.each([
  [[" ", "\n"], [], ""],
  [['{"a":', "1}"], ['{"a":1}'], ""],
  [['{"a":1} [2]"three"'], ['{"a":1}', "[2]", '"three"'], ""],
  [["<|end", "|>"], [], "<|end|>"],
  [['{"a":1}</s>{"b":2}'], ['{"a":1}'], '</s>{"b":2}'],
  [['{"a":', " 1"], [], '{"a": 1'],
  [["{a", "}"], [], "{a}"],
  [["12"], [], "12"],
])("LateText finds in %j the values %j and the rest %j", (fragments, values, rest) => {
  const late = new LateText();
  for (const fragment of fragments) late.append(fragment);
  const found: string[] = [];
  for (let value = late.take(); value !== undefined; value = late.take()) found.push(value);
  expect(found).toEqual(values);
  expect(late.rest).toBe(rest);
});
