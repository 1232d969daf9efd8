import { expect, test, vi } from "vitest";
import { MessageDeltaReader } from "../../src/dialects/message-delta-reader.ts";
import type { Delta } from "../../src/dialects/delta.ts";
import { resolveOptions } from "../../src/options.ts";
import { ResponseReader } from "../../src/response/response-reader.ts";
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

const reader = new MessageDeltaReader();
// What is said of the response is news only once.
reader.read(JSON.parse(text("")), undefined);
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

/** How many events of a response are parsed, and what it says of itself. */
function readingOf(events: readonly string[]) {
  const read = vi.spyOn(Shortcut.prototype, "read");
  const response = new ResponseReader(resolveOptions({}), false);
  response.push(events.map((event) => `data: ${event}\n\n`).join(""));
  const taken = read.mock.results.filter(({ value }) => value !== undefined).length;
  read.mockRestore();
  return { parsed: events.length - taken, completion: response.snapshot() };
}

const many = (event: (piece: string) => string): string[] =>
  Array.from({ length: 100 }, (_, position) => event(`${position} `));

test("Of a typical response, only the events are parsed that begin or end something", () => {
  const open = { index: 0, id: "a", type: "function", function: { name: "f", arguments: "" } };
  const { parsed: count, completion } = readingOf([
    chunk({ role: "assistant", content: "" }),
    ...many((piece) => chunk({ reasoning_text: piece })),
    ...many((piece) => chunk({ content: piece })),
    chunk({ tool_calls: [open] }),
    ...many((piece) => fragment(piece)),
    chunk({}, { model: "m" }),
  ]);
  expect(count).toBe(6);
  expect(completion.response).toEqual({ id: "c", model: "m" });
});

test("A role and a model in every event keep none from the shortcut", () => {
  const events = many((piece) => chunk({ role: "assistant", content: piece }, { model: "m" }));
  expect(readingOf(events).parsed).toBe(2);
});

test("What the response says of itself counts, also where it changes back", () => {
  const models = ["m", "m", "n", "n", "m", "m"];
  const { completion } = readingOf(models.map((model) => chunk({ content: "a" }, { model })));
  expect(completion.response).toEqual({ id: "c", model: "m" });
});

test("Behind an entry of tool_calls that is no call, all events are parsed", () => {
  const flat = (index: number, piece: string): string =>
    chunk({ tool_calls: [{ index, arguments: piece }] });
  const { completion } = readingOf([
    chunk({ role: "assistant" }),
    flat(0, "{"),
    flat(0, "}"),
    chunk({ tool_calls: [{ index: 1, type: "search" }] }),
    flat(1, "a"),
    flat(1, "b"),
  ]);
  expect(completion.message).toMatchObject({ tool_calls: [{ type: "search", arguments: "ab" }] });
});
