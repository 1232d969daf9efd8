import { expect, test } from "vitest";
import { KnownEvents } from "../../src/forms/known-events.ts";

const encoder = new TextEncoder();

/** What is known of an event behind these. */
function knownBehind(learned: readonly string[], event: string | Uint8Array) {
  const known = new KnownEvents();
  for (const each of learned) known.learn(each);
  const bytes = typeof event === "string" ? encoder.encode(event) : event;
  // At an odd place, as in a queue.
  const queue = new Uint8Array(bytes.length + 7);
  queue.set(bytes, 3);
  const form = known.read(new DataView(queue.buffer), 3, 3 + bytes.length);
  const { isCut, end } = known;
  if (form === undefined) return { isCut };
  return { name: form.name, payload: structuredClone(form.payload), end: end - 3 };
}

const data = (json: string): string => `data: ${json}\n\n`;
const piece = (text: string): string => data(`{"n":1,"delta":{"text":${JSON.stringify(text)}}}`);
const learned = [piece("a"), piece("b")];

test.each([
  ["short text", "c"],
  ["no text", ""],
  ["text that is longer than code units are put together", "word ".repeat(30)],
  ["text beyond ASCII", "São Paulo 東京 😀"],
  ["long text beyond ASCII", "東京 ".repeat(30)],
  ["escapes of one character", 'a "b" \\ / \b\f\n\r\t'],
  ["other escapes", "a\u0001b"],
  ["escapes in a long text", "\n".repeat(40)],
])("KnownEvents reads %s as parsing would", (_name, text) => {
  const event = piece(text);
  const payload = { n: 1, delta: { text } };
  expect(knownBehind(learned, event)).toEqual({
    name: undefined,
    payload,
    end: encoder.encode(event).length,
  });
});

test.each([
  ["an escaped solidus", String.raw`a\/b`, "a/b"],
  ["half a surrogate pair", String.raw`\ud83d`, "\ud83d"],
  ["an escape beyond those of one character", String.raw`\u00e9\n`, "é\n"],
])("KnownEvents reads %s", (_name, raw, text) => {
  const event = data(`{"n":1,"delta":{"text":"${raw}"}}`);
  expect(knownBehind(learned, event)).toMatchObject({ payload: { delta: { text } } });
});

const number = (text: string): string => data(`{"n":${text}}`);

test.each([
  "0",
  "7",
  "123456789012345",
  "1234567890123456789",
  "-1",
  "0.5",
  "-0.25e-7",
  "1E9",
  "-0",
])("KnownEvents reads the number %s as parsing would", (text) => {
  const { payload } = knownBehind([number("1"), number("2")], number(text));
  expect(payload).toEqual({ n: JSON.parse(text) });
});

test.each([
  ["its name", [`event: a\n${piece("a")}`, `event: a\n${piece("b")}`], `event: a\n${piece("c")}`],
  [
    "white space in the JSON",
    [data('{ "a" : "b" }'), data('{ "a" : "c" }')],
    data('{ "a" : "d" }'),
  ],
  [
    "several places",
    [data('{"a":"b","n":1,"c":[1,"x"]}'), data('{"a":"c","n":2,"c":[2,"y"]}')],
    data('{"a":"d","n":30,"c":[4,"z"]}'),
  ],
  [
    "spaces before the last brace",
    [data('{"a":"b"  }'), data('{"a":"c"}')],
    data('{"a":"d"     }'),
  ],
  ["no space behind the colon", ['data:{"a":"b"}\n\n', 'data:{"a":"c"}\n\n'], 'data:{"a":"d"}\n\n'],
])("KnownEvents knows an event by its form: %s", (_name, events, event) => {
  const text = event.replace(/^event: .*\n/, "").slice("data:".length);
  const name = /^event: (.*)\n/.exec(event)?.[1];
  expect(knownBehind(events, event)).toEqual({
    name,
    payload: JSON.parse(text),
    end: event.length,
  });
});

const other = (text: string, n: number): string => data(`{"n":${n},"other":"${text}"}`);

test("KnownEvents keeps several forms, and what differs in any event of one", () => {
  const events = [piece("a"), other("a", 1), piece("b"), other("b", 1), other("b", 2)];
  expect(knownBehind(events, piece("c"))).toMatchObject({ payload: { delta: { text: "c" } } });
  expect(knownBehind(events, other("c", 3))).toMatchObject({ payload: { n: 3, other: "c" } });
});

test.each<[string, string[], string]>([
  ["of which there was one", [piece("a")], piece("a")],
  ["with other bytes around", learned, piece("c").replace("delta", "delts")],
  ["with a number in the place of a text", learned, data('{"n":1,"delta":{"text":1}}')],
  ["with more in it", learned, data('{"n":1,"delta":{"text":"c","x":1}}')],
  ["with a control character", learned, data('{"n":1,"delta":{"text":"\u0001"}}')],
  ["that is not JSON", learned, data(String.raw`{"n":1,"delta":{"text":"\x"}}`)],
  ["of other line ends", learned, piece("c").replaceAll("\n", "\r\n")],
  ["with a number that is none", [number("1"), number("2")], number("01")],
  ["with another number that is none", [number("1"), number("2")], number("1.e")],
  ["with no digits", [number("1"), number("2")], number("")],
  ["with a key that is written twice", twice("a", "b"), twice("c", "d")[0] ?? ""],
  ["with a key that differs", [data('{"a":1}'), data('{"b":1}')], data('{"c":1}')],
  [
    "with a number in its name",
    [`event: e1\n${piece("a")}`, `event: e2\n${piece("a")}`],
    `event: e3\n${piece("a")}`,
  ],
  ["with the prototype of an object", proto("a", "b"), proto("c", "d")[0] ?? ""],
  ["with a list for data", [data('["a"]'), data('["b"]')], data('["c"]')],
  ["of two frames that are glued together", [glued("a"), glued("a")], glued("a")],
  ["with an id", [`id: 1\n${piece("a")}`, `id: 2\n${piece("b")}`], `id: 3\n${piece("c")}`],
])("KnownEvents does not know an event %s", (_name, events, event) => {
  expect(knownBehind(events, event)).toEqual({ isCut: false });
});

function glued(text: string): string {
  return data(`{"a":"${text}"}data: {"a":"${text}"}`);
}

function twice(...texts: string[]): string[] {
  return texts.map((text) => data(`{"a":"${text}","a":"x"}`));
}

function proto(...texts: string[]): string[] {
  return texts.map((text) => data(`{"__proto__":"${text}"}`));
}

test("KnownEvents says of each beginning of a known event that it is cut, and of no other text", () => {
  const event = encoder.encode(piece("São"));
  for (let length = 1; length < event.length; length += 1) {
    expect(knownBehind(learned, event.slice(0, length))).toEqual({ isCut: true });
  }
  expect(knownBehind(learned, "data: {x")).toEqual({ isCut: false });
  const numbers = [number("1"), number("2")];
  expect(knownBehind(numbers, 'data: {"n":12')).toEqual({ isCut: true });
});

test("KnownEvents leaves bytes that are not UTF-8 to the plain reader", () => {
  const event = encoder.encode(piece("?"));
  event[event.indexOf(0x3f)] = 0xff;
  expect(knownBehind(learned, event)).toEqual({ isCut: false });
});

test("KnownEvents stops looking where nothing repeats, and goes on where it pays", () => {
  const known = new KnownEvents();
  for (const event of learned) known.learn(event);
  const bytes = encoder.encode(piece("c"));
  for (let round = 0; round < 1000; round += 1) {
    if (round % 5 === 0) known.miss();
    known.read(new DataView(bytes.buffer), 0, bytes.length);
  }
  expect(known.isUseful).toBe(true);
  for (let round = 0; round < 64; round += 1) known.miss();
  expect(known.isUseful).toBe(false);
});

const kind = (n: number, text: string): string => data(`{"kind${"x".repeat(n)}":"${text}"}`);

test("KnownEvents forgets the form that was not used for longest", () => {
  const many = Array.from({ length: 8 }, (_, n) => [kind(n, "a"), kind(n, "b")]).flat();
  expect(knownBehind([...learned, ...many], piece("c"))).toEqual({ isCut: false });
  expect(knownBehind([...many.slice(2), ...learned], piece("c"))).toMatchObject({
    payload: { n: 1 },
  });
});

const list = (value: number): string => data(`{"a":[${Array(65).fill(value).join()}]}`);

test("KnownEvents keeps no form of more places than it has room for", () => {
  expect(knownBehind([list(1), list(2)], list(3))).toEqual({ isCut: false });
});

test("a payload that is kept is not changed again", () => {
  const known = new KnownEvents();
  for (const event of learned) known.learn(event);
  const read = (text: string): unknown => {
    const bytes = encoder.encode(piece(text));
    const form = known.read(new DataView(bytes.buffer), 0, bytes.length);
    const payload = form?.payload;
    form?.release();
    expect(form?.isReleased).toBe(true);
    return payload;
  };
  const payloads = [read("c"), read("d")];
  expect(payloads).toEqual(["c", "d"].map((text) => ({ n: 1, delta: { text } })));
});
