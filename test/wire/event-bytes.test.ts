import { expect, test } from "vitest";
import { EventBytes } from "../../src/wire/event-bytes.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The parts of each chunk, `kind text`, those of the end last. */
function partsOf(chunks: readonly string[], maxEventLength = 100): string[][] {
  const events = new EventBytes(maxEventLength);
  const parts = chunks.map((chunk) => events.push(encoder.encode(chunk)));
  return [...parts, events.end()].map((list) =>
    list.map(({ kind, bytes }) => `${kind} ${decoder.decode(bytes)}`),
  );
}

test.each<[string, string[], string[][]]>([
  ["two events in one chunk", ["a\n\nb\n\n"], [["event a\n\n", "event b\n\n"], []]],
  ["an event over two chunks", ["a\n", "\nb"], [[], ["event a\n\n"], ["tail b"]]],
  [
    "every line end",
    ["a\r\n\r\nb\r\rc\n\r"],
    [["event a\r\n\r", "skipped \n", "event b\r\r", "event c\n\r"], []],
  ],
  [
    "a line end cut in two, at once",
    ["a\r\n\r", "\nb\n\n"],
    [["event a\r\n\r"], ["skipped \n", "event b\n\n"], []],
  ],
  ["a line end cut in two inside of an event", ["a\r", "\nb\n\n"], [[], ["event a\r\nb\n\n"], []]],
  [
    "comments at once",
    [": a\n", ": b\n\n"],
    [["skipped : a\n"], ["skipped : b\n", "event \n"], []],
  ],
  ["comments inside of an event with it", ["a\n: b\n", "\n"], [[], ["event a\n: b\n\n"], []]],
  ["a byte order mark", ["\uFEFF\n\na"], [["skipped \uFEFF", "event \n", "event \n"], ["tail a"]]],
  ["JSON as it is", [' {"a":\n\n', "1}"], [[], [], ['body  {"a":\n\n1}']]],
  ["JSON behind white space", [" ", "{}"], [[], [], ["body  {}"]]],
  ["nothing", ["", ""], [[], [], []]],
])("EventBytes gives %s", (_name, chunks, parts) => {
  expect(partsOf(chunks)).toEqual(parts);
});

test("EventBytes takes a byte order mark that is cut, and what only begins like one", () => {
  const events = new EventBytes(100);
  const bytes = encoder.encode("\uFEFFa\n\n");
  const parts = [...bytes].flatMap((byte) => events.push(Uint8Array.of(byte)));
  expect(parts.map(({ kind, bytes: part }) => [kind, part.length])).toEqual([
    ["skipped", 3],
    ["event", 3],
  ]);
  const other = new EventBytes(100).push(Uint8Array.of(0xef, 0xbb, 0x61, 0x0a, 0x0a));
  expect(other.map(({ kind, bytes: part }) => [kind, part.length])).toEqual([["event", 5]]);
});

test.each<[string, string[], string[][]]>([
  ["at the limit", ["abc\n\n"], [["event abc\n\n"], []]],
  ["over the limit", ["abcd\n\na\n\n"], [["too-long abcd\n\n", "event a\n\n"], []]],
  [
    "over the limit, in chunks",
    ["abcd", "ef", "\n", "\n", "a\n\n"],
    [[], ["too-long abcdef"], ["skipped \n"], ["skipped \n"], ["event a\n\n"], []],
  ],
  [
    "over the limit by its comments",
    [":ab\n:", "\n\n"],
    [["skipped :ab\n", "too-long :"], ["skipped \n", "skipped \n"], []],
  ],
  ["of four bytes, which are two characters", ["🦀a\n\n"], [["event 🦀a\n\n"], []]],
  [
    "JSON over the limit",
    ['{"a":', "1}\n\n", "{}"],
    [['too-long {"a":'], ["skipped 1}\n\n"], ["skipped {}"], []],
  ],
])("EventBytes gives an event %s", (_name, chunks, parts) => {
  expect(partsOf(chunks, 4)).toEqual(parts);
});
