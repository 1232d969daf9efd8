import { expect, test } from "vitest";
import { DeltaReader } from "../../src/dialects/delta-reader.ts";
import type { Delta } from "../../src/dialects/delta.ts";
import { Shortcut } from "../../src/response/shortcut.ts";

const chunk = (delta: object, rest: object = {}): string =>
  JSON.stringify({ id: "c", choices: [{ index: 0, delta, finish_reason: null }], ...rest });
const fragment = (text: string, index = 0): string =>
  chunk({ tool_calls: [{ index, function: { arguments: text } }] });
const swapped = (fragmentNumber: number, index: string): string =>
  chunk({ tool_calls: [{ function: { arguments: fragmentNumber, name: "f" }, index }] });
const text = (content: string): string => chunk({ content });

const choice = (index: number): string =>
  JSON.stringify({ choices: [{ delta: { content: "a" }, index }] });

const reader = new DeltaReader();
const parsed = (event: string): Delta[] =>
  reader
    .read(JSON.parse(event), undefined)
    .map((delta) => Object.assign(delta, delta.type === "call" && { places: undefined }));

function shortcutOf(...events: string[]): Shortcut {
  const shortcut = new Shortcut();
  for (const event of events) shortcut.learn(event, parsed(event), reader);
  return shortcut;
}

test.each<[string, string, string]>([
  ["another fragment", fragment('{"a"'), fragment(":1}")],
  ["an escaped fragment", fragment("{"), fragment('"\\\n\u0001é🦀')],
  ["another index", fragment("{", 0), fragment("}", 63)],
  ["other text", text("a"), text("b c")],
  [
    "other obfuscation",
    chunk({ content: "a" }, { obfuscation: "x1" }),
    chunk({ content: "b" }, { obfuscation: "Z" }),
  ],
  ["reasoning", chunk({ reasoning: "a" }), chunk({ reasoning: "b" })],
  ["text that is not shown", chunk({ refusal: "a" }), chunk({ refusal: "b" })],
])("Shortcut reads %s as parsing would", (_name, learned, event) => {
  const delta = shortcutOf(learned).read(event);
  expect(delta).toBeDefined();
  expect([delta]).toEqual(parsed(event));
});

test("Shortcut keeps several forms", () => {
  const shortcut = shortcutOf(text("a"), fragment("{"), chunk({ reasoning: "r" }));
  for (const event of [fragment("1"), text("b"), chunk({ reasoning: "s" }), fragment("}", 7)]) {
    expect([shortcut.read(event)]).toEqual(parsed(event));
  }
});

test.each<[string, string, string]>([
  ["a finish reason", fragment("{"), fragment("}").replace("null", '"stop"')],
  ["another field in front", text("a"), text("b").replace('"c"', '"d"')],
  ["one more field", text("a"), chunk({ content: "b", refusal: "no" })],
  ["an empty string", text("a"), text("")],
  ["a string that is cut", text("a"), text("b").replace('"b"', '"b\\"')],
  ["a string that ends early", text("a"), text("b").replace('"b"', '"b"x"')],
  ["a raw control character", text("a"), text("b").replace("b", "\t")],
  [
    "an index that is no number",
    fragment("{"),
    fragment("}").replace('"index":0,"f', '"index":"0","f'),
  ],
  [
    "an index with a leading zero",
    fragment("{"),
    fragment("}").replace('"index":0,"f', '"index":00,"f'),
  ],
  ["another choice, whose number stands behind the text", choice(0), choice(1)],
  ["no JSON", fragment("{"), "oops"],
  ["a long event", text("a"), text("b".repeat(5000))],
])("Shortcut leaves %s to the parser", (_name, learned, event) => {
  expect(shortcutOf(learned).read(event)).toBeUndefined();
});

test.each<[string, string]>([
  ["several deltas", chunk({ content: "a", reasoning: "b" })],
  ["no string", chunk({}, { usage: { total_tokens: 1 } })],
  ["a field that is no string", chunk({ x: 1 })],
  ["text that also stands between two strings", chunk({ content: "," }, { a: "b", c: "d" })],
  ["a string that is written otherwise", text("é").replace("é", "\\u00e9")],
  ["a long event", text("a".repeat(5000))],
])("Shortcut learns nothing from %s", (_name, event) => {
  expect(shortcutOf(event).read(event)).toBeUndefined();
});

test("Shortcut does not take a string that stands elsewhere too for the fragment", () => {
  const event = JSON.stringify({ choices: [{ delta: { content: "a" } }], model: "a" });
  const other = event.replace('"model":"a"', '"model":"b"');
  expect(shortcutOf(event).read(other)).toBeUndefined();
});

test("Shortcut does not take an index for the fragment, nor the fragment for an index", () => {
  expect(shortcutOf(swapped(3, "3")).read(swapped(5, "6"))).toBeUndefined();
});

test("Shortcut leaves an empty fragment to be parsed", () => {
  expect(shortcutOf(fragment("{")).read(fragment("", 7))).toBeUndefined();
});

test("Shortcut stops looking where nothing repeats", () => {
  const shortcut = shortcutOf(text("a"));
  for (let count = 0; count < 256; count += 1) shortcut.read(`{"n":${count}}`);
  expect(shortcut.read(text("b"))).toBeUndefined();
});
