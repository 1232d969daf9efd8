import { expect, test } from "vitest";
import { JsonEnd } from "../src/json-end.ts";

const stateOf = ({ state, root, hasContent, isWhole }: JsonEnd) => ({
  state,
  root,
  hasContent,
  isWhole,
});

/** Scans `text` whole, and one character at a time; both must agree. */
function scan(text: string) {
  const whole = new JsonEnd();
  const position = whole.scan(text);
  const single = new JsonEnd();
  let consumed = 0;
  for (const character of text.split("")) consumed += single.scan(character);
  expect({ ...stateOf(single), position: consumed }).toEqual({ ...stateOf(whole), position });
  return { ...stateOf(whole), position };
}

test.each([
  ["{}", "object"],
  ["[]", "array"],
  [
    ' {"a" : [1, -0, 0.5, 1e9, 2E-3, true, false, null], "b":{"c":"\\u00e9\\n\\"\\\\\\/"}}',
    "object",
  ],
  ["[[[[]]]]", "array"],
  ['"a\\tb"', "scalar"],
  ["null", "scalar"],
])("JsonEnd closes %s at its last character", (text, root) => {
  expect(scan(text)).toMatchObject({ state: "closed", root, isWhole: true, position: text.length });
});

test.each([
  "",
  " ",
  "{",
  '{"a"',
  '{"a":',
  '{"a":1',
  '{"a":1,',
  "[1,",
  '"',
  '"\\',
  '"\\u12',
  "tru",
  "-",
])("JsonEnd waits for more of %j", (text) => {
  expect(scan(text)).toMatchObject({ state: "open", isWhole: false, position: text.length });
});

test.each(["1", "-0", "12.5", "1e5", "1E+5", "0"])(
  "JsonEnd takes %s as whole, yet open",
  (text) => {
    expect(scan(text)).toMatchObject({ state: "open", isWhole: true });
  },
);

test.each([
  ["}", 1],
  ["{1", 2],
  ["{'a'", 2],
  ['{"a" 1', 6],
  ['{"a":1,}', 8],
  ["[1,]", 4],
  ["[,", 2],
  ["01", 1],
  ["1.e", 2],
  ["1ex", 2],
  ["-x", 1],
  ["1x", 1],
  ["[1 2", 4],
  ["trux", 4],
  ['"\\x', 3],
  ['"\\u12g', 6],
  ['"a\nb"', 3],
  ['{"a":1]', 7],
  ["[1}", 3],
  ["NaN", 1],
  ["\u00a0{}", 1],
])("JsonEnd fails in %j after %i characters", (text, position) => {
  expect(scan(text)).toMatchObject({ state: "failed", isWhole: false, position });
});

test("JsonEnd stops at the end of the value and leaves what follows", () => {
  expect(scan('{"a":1} {"b":2}')).toMatchObject({ state: "closed", position: 7 });
  expect(scan("1 2")).toMatchObject({ state: "closed", root: "scalar", position: 1 });
});

test.each([
  ['{"a":[1]}', "object"],
  ["[[]]", "array"],
  ['{"__proto__":1}', "object"],
])("JsonEnd parses %s, which is whole", (text, root) => {
  const end = new JsonEnd();
  expect(end.parse(text)).toEqual(JSON.parse(text));
  expect(stateOf(end)).toEqual({ state: "closed", root, hasContent: true, isWhole: true });
});

test.each(["{}", "[ ]", '{"a":1} ', '{"a":{}', '{"a":1}}', "[1}", "{'a':1}", "1", ""])(
  "JsonEnd parses nothing of %j",
  (text) => {
    const end = new JsonEnd();
    expect(end.parse(text)).toBeUndefined();
    expect(stateOf(end)).toEqual(stateOf(new JsonEnd()));
  },
);

test("JsonEnd knows an empty container from one with content", () => {
  expect(scan("{ }").hasContent).toBe(false);
  expect(scan("[ ]").hasContent).toBe(false);
  expect(scan('{"').hasContent).toBe(true);
  expect(scan("[[").hasContent).toBe(true);
});
