import { expect, test } from "vitest";
import { JsonEnd } from "../../src/json/json-end.ts";

const stateOf = ({ isClosed, isBroken, hasContent, canEnd }: JsonEnd) => ({
  isClosed,
  isBroken,
  hasContent,
  canEnd,
});

/** Scans `text` whole, and one character at a time; both must agree. */
function scan(text: string) {
  const whole = new JsonEnd();
  const position = whole.scan(text);
  const single = new JsonEnd();
  let consumed = 0;
  for (const character of text.split("")) {
    const count = single.scan(character);
    consumed += count;
    if (count === 0) break; // A number ends before the character that ends it.
  }
  expect({ ...stateOf(single), position: consumed }).toEqual({ ...stateOf(whole), position });
  return { ...stateOf(whole), position };
}

test.each([
  "{}",
  "[]",
  ' {"a" : [1, -0, 0.5, 1e9, 2E-3, true, false, null], "b":{"c":"\\u00e9\\n\\"\\\\\\/"}}',
  "[[[[]]]]",
])("JsonEnd closes %s at its last character", (text) => {
  expect(scan(text)).toMatchObject({ isClosed: true, canEnd: true, position: text.length });
  expect(scan(`${text}${text}`).position).toBe(text.length);
});

test.each(['"a\\tb"', "null"])("JsonEnd ends the scalar %s at its last character", (text) => {
  const expected = { isClosed: false, isBroken: false, canEnd: true, position: text.length };
  expect(scan(text)).toMatchObject(expected);
});

test("JsonEnd takes only white space behind a scalar that has closed", () => {
  const end = new JsonEnd();
  expect(end.scan('"a" ')).toBe(3);
  expect(end.scan(" ")).toBe(1);
  expect(end.scan(" \n")).toBe(2);
  expect(end.canEnd).toBe(true);
  end.scan("\t1");
  expect(stateOf(end)).toMatchObject({ isBroken: true, canEnd: false });
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
  expect(scan(text)).toMatchObject({
    isClosed: false,
    isBroken: false,
    canEnd: false,
    position: text.length,
  });
});

test.each(["1", "-0", "12.5", "1e5", "1E+5", "0"])(
  "JsonEnd takes %s as whole, and reads on",
  (text) => {
    const expected = { isClosed: false, isBroken: false, canEnd: true, position: text.length };
    expect(scan(text)).toMatchObject(expected);
    expect(scan(`${text} `)).toMatchObject(expected);
  },
);

test.each([
  ["}", 0],
  ["{1", 1],
  ["{'a'", 1],
  ['{"a" 1', 5],
  ['{"a":1,}', 7],
  ["[1,]", 3],
  ["[,", 1],
  ["1.e", 2],
  ["1ex", 2],
  ["-x", 1],
  ["[1 2", 3],
  ["[01", 2],
  ["[1x", 2],
  ["trux", 3],
  ['"\\x', 2],
  ['"\\u12g', 5],
  ['"a\nb"', 2],
  ['{"a":1]', 6],
  ["[1}", 2],
  ["NaN", 0],
  ["\u00a0{}", 0],
])("JsonEnd fails in %j at the character %i", (text, position) => {
  expect(scan(text)).toMatchObject({ isBroken: true, canEnd: false, position });
});

test.each(["01", "1x"])("JsonEnd fails in %s when it reads on behind the number", (text) => {
  const end = new JsonEnd();
  expect(end.scan(text)).toBe(1);
  expect(end.scan(text.slice(1))).toBe(0);
  expect(stateOf(end)).toMatchObject({ isBroken: true, canEnd: false });
});

test("JsonEnd stops at the end of the value and leaves what follows", () => {
  expect(scan('{"a":1} {"b":2}')).toMatchObject({ isClosed: true, position: 7 });
  expect(scan("1 2")).toMatchObject({ isClosed: false, canEnd: true, position: 1 });
});

test.each(['{"a":[1]}', "[[]]", '{"__proto__":1}'])("JsonEnd parses %s, which is whole", (text) => {
  const end = new JsonEnd();
  expect(end.parse(text)).toEqual(JSON.parse(text));
  expect(stateOf(end)).toEqual({
    isClosed: true,
    isBroken: false,
    hasContent: true,
    canEnd: true,
  });
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
