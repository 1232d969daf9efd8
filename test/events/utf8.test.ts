import { expect, test } from "vitest";
import { Utf8Reader, withoutMarks } from "../../src/events/utf8.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** The text of the chunks, and whether bytes in it were replaced. */
function read(...chunks: Uint8Array[]): { text: string; hasMarks: boolean } {
  const reader = new Utf8Reader();
  const text = chunks.map((chunk) => reader.read(chunk)).join("") + reader.end();
  return { text: withoutMarks(text), hasMarks: reader.hasMarks };
}

test.each<[string, number[], boolean]>([
  ["ASCII", [0x61], false],
  ["characters of two, three and four bytes", [...encoder.encode("é€🦀")], false],
  ["a replacement character that was sent", [...encoder.encode("a\uFFFDb")], false],
  ["the last character of the last plane", [...encoder.encode("\u{10FFFF}\u{10FC00}")], false],
  ["a byte that none begins with", [0x61, 0xff, 0x62], true],
  ["a byte order mark and a lone continuation", [0xef, 0xbb, 0xbf, 0x80], true],
  ["a character cut by another one", [0xf0, 0x9f, 0xc3, 0xa9], true],
  ["one that was sent beside one that was not", [0xef, 0xbf, 0xbd, 0xff, 0xef, 0xbf, 0xbd], true],
  ["an overlong form", [0xe0, 0x80, 0x80, 0x61], true],
  ["half of a surrogate pair", [0xed, 0xa0, 0x80, 0x61], true],
])("Utf8Reader reads %s as WHATWG does, however it is cut", (_name, bytes, hasMarks) => {
  const whole = Uint8Array.from(bytes);
  const expected = { text: decoder.decode(whole), hasMarks };
  expect(read(whole)).toEqual(expected);
  for (let first = 0; first <= whole.length; first += 1) {
    for (let second = first; second <= whole.length; second += 1) {
      const chunks = [whole.slice(0, first), whole.slice(first, second), whole.slice(second)];
      expect(read(...chunks)).toEqual(expected);
    }
  }
});

test("Utf8Reader marks no character that the end of the body cuts", () => {
  expect(read(encoder.encode("a🦀").slice(0, -1))).toEqual({ text: "a\uFFFD", hasMarks: false });
});

test("Utf8Reader keeps no chunk: its owner may write to it", () => {
  const reader = new Utf8Reader();
  const chunk = encoder.encode("é");
  const first = chunk.slice(0, 1);
  expect(reader.read(first)).toBe("");
  first[0] = 0x61;
  expect(reader.read(chunk.slice(1))).toBe("é");
});
