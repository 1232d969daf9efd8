import { expect, test } from "vitest";
import { EventData } from "../../src/wire/event-data.ts";
import { spliced } from "../../src/wire/id-splices.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

const read = (event: string): EventData => new EventData(encoder.encode(event));

test.each<[string, string, string | undefined, string]>([
  ["a value with and without a space", "data:a\ndata: b\ndata:  c\n\n", undefined, "a\nb\n c"],
  ["empty values", "data\ndata:\ndata: \n", undefined, "\n\n"],
  ["every line end", "data: a\rdata: b\r\ndata: c\n\n", undefined, "a\nb\nc"],
  ["the last name", "event: a\nevent: b\ndata: c\n\n", "b", "c"],
  ["an empty name as none", "event: a\nevent\ndata: c\n\n", undefined, "c"],
  [
    "no field of another name",
    "dat: a\ndatab: a\ndata\uFEFF: a\n id: a\n: data: a\n\n",
    undefined,
    "",
  ],
  ["what has no line end", "data: a", undefined, "a"],
])("EventData reads %s", (_name, event, name, data) => {
  const found = read(event);
  expect(found.name).toBe(name);
  expect(decoder.decode(found.bytes)).toBe(data);
});

test("EventData places changes to its data in the event", () => {
  const event = 'event: e\ndata: {"a":\r\ndata:1,\ndata: "b":2}\n\n';
  const data = read(event);
  const text = decoder.decode(data.bytes);
  const splices = ['{"a"', "1", '"b"', "2"].map((part) => {
    const start = text.indexOf(part);
    return { start, end: start + part.length, text: `<${part}>` };
  });
  expect(decoder.decode(spliced(encoder.encode(event), data.placed(splices)))).toBe(
    'event: e\ndata: <{"a">:\r\ndata:<1>,\ndata: <"b">:<2>}\n\n',
  );
});
