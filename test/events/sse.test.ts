import { brokenBytes } from "../bodies.ts";
import { expect, test } from "vitest";
import { SseReader, type SseEvent } from "../../src/events/sse.ts";
import { CUTS } from "../cuts.ts";

const LIMIT = 1_000_000;

function read(body: string | Uint8Array, limit = LIMIT) {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const [first, ...others] = CUTS.map(({ cut }) => {
    const reader = new SseReader(limit);
    const events: SseEvent[] = [];
    for (const chunk of cut(bytes)) events.push(...reader.push(chunk));
    events.push(...reader.end());
    return { events, failure: reader.failure };
  });
  for (const other of others) expect(other).toEqual(first);
  return first ?? { events: [], failure: undefined };
}

const event = (data: string, name?: string): SseEvent => ({ kind: "event", name, data });
const tail = (data: string, name?: string): SseEvent => ({ kind: "tail", name, data });

test.each<[string, string, SseEvent[]]>([
  ["LF", "data: a\n\ndata: b\n\n", [event("a"), event("b")]],
  ["CRLF", "data: a\r\n\r\ndata: b\r\n\r\n", [event("a"), event("b")]],
  ["CR", "data: a\r\rdata: b\r\r", [event("a"), event("b")]],
  [
    "mixed line ends",
    "data: a\r\n\ndata: b\n\r\ndata: c\r\r\n",
    [event("a"), event("b"), event("c")],
  ],
  ["no space", "data:a\n\n", [event("a")]],
  ["two spaces", "data:  a\n\n", [event(" a")]],
  ["several data lines", "data: a\ndata: b\n\n", [event("a\nb")]],
  ["an empty data line", "data\n\n", [event("")]],
  ["names", "event: x\ndata: a\n\ndata: b\n\n", [event("a", "x"), event("b")]],
  ["comments, ids and retry", ": hi\nid: 1\nretry: 5\n\n: ping\n\ndata: a\n\n", [event("a")]],
  ["a retry that is no number", "retry: soon\ndata: a\n\n", [event("a")]],
  ["a retry that is no number, alone", "retry: soon\n\n", []],
  ["unknown fields", "foo: bar\ndata: a\nbaz\n\n", [event("a")]],
  ["a BOM", "\uFEFFdata: a\n\n", [event("a")]],
  ["a BOM further on, which is text", "data: a\uFEFFb\n\n", [event("a\uFEFFb")]],
  ["blank lines first", "\n\n \n\ndata: a\n\n", [event("a")]],
  ["no blank line at the end", "data: a\n\ndata: b\n", [event("a"), tail("b")]],
  ["no line end at the end", "data: a\n\ndata: b", [event("a"), tail("b")]],
  ["an error field", 'error: {"a":1}\n\ndata: a\n\n', [event('{"a":1}', "error"), event("a")]],
  [
    "an error field at the end",
    'data: a\n\nerror: {"a":1}',
    [event("a"), tail('{"a":1}', "error")],
  ],
  ["an error field that is no object", "error: oops\ndata: a\n\n", [event("a")]],
  ["characters of 2 to 4 bytes", "data: é杭🦀\n\n", [event("é杭🦀")]],
  ["a JSON body", ' \n{"a":\n\n1}', [{ kind: "body", name: undefined, data: ' \n{"a":\n\n1}' }]],
  ["an array as body", "[1]\r\n", [{ kind: "body", name: undefined, data: "[1]\n" }]],
  ["an empty body", "", []],
  ["comments alone", ": hi\n\n", []],
  ["a cut field name", "data: a\n\nda", [event("a")]],
])("SseReader reads %s, however it is cut", (_name, body, events) => {
  expect(read(body)).toEqual({ events, failure: undefined });
});

test("SseReader replaces bytes that are not UTF-8", () => {
  const bytes = new Uint8Array([...new TextEncoder().encode("data: a"), 0xff, 0x0a, 0x0a]);
  expect(read(bytes).events).toEqual([{ ...event("a\uFFFD"), hasReplacedBytes: true }]);
});

test("SseReader says of each event whether bytes of its data were replaced, and of no other", () => {
  const bytes = brokenBytes("data: a\n\ndata: \x7f\n\nid: \x7f\ndata: \uFFFD\n\n");
  expect(read(bytes).events).toEqual([
    event("a"),
    { ...event("\uFFFD"), hasReplacedBytes: true },
    event("\uFFFD"),
  ]);
});

const unframed = '[{\n  "error": {\n    "code": 429\n  }\n}]';

test.each<[string, string, SseEvent[]]>([
  [
    "between events",
    `data: a\n\n${unframed}\n\ndata: b\n\n`,
    [event("a"), event(`${unframed}\n\n`), event("b")],
  ],
  ["at the end of the body", `data: a\n\n${unframed}`, [event("a"), tail(`${unframed}\n\n`)]],
  ["that is no error", 'data: a\n\n{"b":1}\n\n', [event("a")]],
  ["that is cut", 'data: a\n\n{"error":{\n\ndata: b\n\n', [event("a"), event("b")]],
])("SseReader finds an error as bare JSON %s", (_name, body, events) => {
  expect(read(body).events).toEqual(events);
});

test("SseReader joins a character that bytes and the end of the body cut", () => {
  const bytes = new TextEncoder().encode("data: 🦀").subarray(0, -1);
  expect(read(bytes).events).toEqual([tail("\uFFFD")]);
});

test("SseReader takes a chunk of no bytes, inside of a character too", () => {
  const reader = new SseReader(LIMIT);
  const bytes = new TextEncoder().encode("data: é\n\n");
  const cut = bytes.indexOf(0xc3) + 1;
  const chunks = [bytes.subarray(0, cut), new Uint8Array(), bytes.subarray(cut)];
  expect(chunks.flatMap((chunk) => reader.push(chunk))).toEqual([event("é")]);
});

test("SseReader takes text, bytes and both in turn", () => {
  const reader = new SseReader(LIMIT);
  const { buffer } = new TextEncoder().encode("ta: é");
  const bytes = new TextEncoder().encode("\n\n");
  const events = [
    reader.push("da"),
    reader.push(buffer),
    reader.push(new DataView(bytes.buffer, 0, 1)),
    reader.push(new Uint16Array([0x0a0a]).subarray(0, 0)),
    reader.push(bytes.subarray(1)),
  ];
  expect(events.flat()).toEqual([event("é")]);
});

test("SseReader joins a surrogate pair that two chunks of text hold", () => {
  const reader = new SseReader(LIMIT);
  expect([...reader.push("data: \ud83e"), ...reader.push("\udd80\n\n")]).toEqual([event("🦀")]);
});

test("SseReader takes a BOM at the start of a later chunk of text for text", () => {
  const reader = new SseReader(LIMIT);
  expect([...reader.push("data: a"), ...reader.push("\uFEFFb\n\n")]).toEqual([event("a\uFEFFb")]);
});

// With one to four characters before them, every slice ends at another place inside of theirs.
test.each(
  ["é", "杭", "🦀"].flatMap((character) => [1, 2, 3, 4].map((count) => [character, count])),
)(
  "SseReader reads large chunks in slices without a seam: of %s, %i bytes further on",
  (character, count) => {
    const data = "x".repeat(Number(count)) + `${character}`.repeat(20_000);
    const bytes = new TextEncoder().encode(`data: ${data}\n\n`);
    expect(new SseReader(LIMIT).push(bytes)).toEqual([event(data)]);
    expect(new SseReader(LIMIT).push(bytes.buffer)).toEqual([event(data)]);
  },
);

test.each([5, null, undefined, {}, [1]])("SseReader rejects the chunk %j", (chunk) => {
  expect(() => new SseReader(LIMIT).push(chunk)).toThrow(
    new TypeError(`Cannot read chunk: expected bytes or text, got ${typeof chunk}`),
  );
});

test("SseReader says how a body begins that is no event stream", () => {
  const body = "<!DOCTYPE html>\n<h1>502: upstream\n  timed out</h1>\n";
  expect(read(body)).toEqual({ events: [], failure: "no-event-stream" });
  const reader = new SseReader(LIMIT);
  reader.push(body);
  expect(reader.head).toBe(body);
});

test("SseReader does not take a cut field name for another format", () => {
  expect(read("dat").failure).toBeUndefined();
  expect(read("date").failure).toBe("no-event-stream");
  expect(read("dat: a\n\n").failure).toBe("no-event-stream");
});

// "data: 1234\n" has 11 characters; the blank line does not count.
test.each([
  ["data: a\n\ndata: 1234\n\ndata: b\n\n", 11, ["a", "1234", "b"]],
  ["data: a\n\ndata: 1234\n\ndata: b\n\n", 10, ["a"]],
  ["data: a\r\n\r\ndata: 1234\r\n\r\n", 11, ["a", "1234"]],
  ["data: a\r\n\r\ndata: 1234\r\n\r\n", 10, ["a"]],
  ["data: a\n\ndata: 12345", 11, ["a", "12345"]],
  ["data: a\n\ndata: 12345", 10, ["a"]],
  ["data: a\n\n: 12345678\ndata\n\n", 10, ["a"]],
  [": 12345\n\n: 12345\n\ndata: a\n\n", 10, ["a"]],
])("SseReader counts the characters of an event: %j, limit %i", (body, limit, data) => {
  const { events, failure } = read(body, limit);
  expect(events.map((each) => each.data)).toEqual(data);
  const isWhole = data.length === read(body).events.length;
  expect(failure).toBe(isWhole ? undefined : "too-long");
});

test("SseReader limits a JSON body too", () => {
  expect(read('{"a":1}', 7).failure).toBeUndefined();
  expect(read('{"a":1}', 6)).toMatchObject({ events: [], failure: "too-long" });
});
