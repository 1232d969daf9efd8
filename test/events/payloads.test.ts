import { expect, test } from "vitest";
import { type Payload, readPayloads, isForeignName } from "../../src/events/payloads.ts";

const read = (data: string, name?: string, kind: "event" | "tail" = "event"): Payload[] =>
  readPayloads({ kind, name, data });
const json = (value: unknown, start = 0): Payload => ({ type: "json", value, start });
const done: Payload = { type: "done" };

test.each<[string, Payload[]]>([
  ['{"a":1}', [json({ a: 1 })]],
  [' {"a":1} ', [json({ a: 1 })]],
  ["null", [json(null)]],
  ["[DONE]", [done]],
  ["  [DONE]\t", [done]],
  ["", []],
  [": KEEPALIVE", []],
])("readPayloads reads %j", (data, payloads) => {
  expect(read(data)).toEqual(payloads);
});

test.each<[string, Payload[]]>([
  ['data: {"a":1}', [json({ a: 1 }, 6)]],
  ['data: data:{"a":1}', [json({ a: 1 }, 11)]],
  ['{"a":1}{"b":2}', [json({ a: 1 }), json({ b: 2 }, 7)]],
  ['{"a":1}\n{"b":2}', [json({ a: 1 }), json({ b: 2 }, 8)]],
  ['{"a":1}data: {"b":2}', [json({ a: 1 }), json({ b: 2 }, 13)]],
  ['{"a":1}[DONE]', [json({ a: 1 }), done]],
  ["data: [DONE]", [done]],
  ['[DONE]{"a":1}', [done]],
])("readPayloads takes frames apart that were glued together: %j", (data, payloads) => {
  expect(read(data)).toEqual([{ type: "reframed-event", text: data }, ...payloads]);
});

test.each<[string, Payload[]]>([
  ["oops", [{ type: "damaged-event", text: "oops" }]],
  ['{"a":', [{ type: "damaged-event", text: '{"a":' }]],
  ['{"a":"x\ty"}', [{ type: "damaged-event", text: '{"a":"x\ty"}' }]],
  [
    '{"a":"b.cdata: {"b":2}',
    [{ type: "damaged-event", text: '{"a":"b.cdata: ' }, json({ b: 2 }, 15)],
  ],
  ['{"a":1}{"b', [json({ a: 1 }), { type: "damaged-event", text: '{"b' }]],
  [
    '{"x data: {"y data: {"b":2}',
    [{ type: "damaged-event", text: '{"x data: {"y data: ' }, json({ b: 2 }, 20)],
  ],
  ['{"b":"data: {\\"c\\":1}"', [{ type: "damaged-event", text: '{"b":"data: {\\"c\\":1}"' }]],
  // An error that a server has put behind a frame that it cut.
  [
    '{"a":"b\n { "error": "m"}',
    [{ type: "damaged-event", text: '{"a":"b\n ' }, json({ error: "m" }, 9)],
  ],
  // Lines of JSON that was cut, none of them an error of its own.
  ['{"a":\n{"b":1}', [{ type: "damaged-event", text: '{"a":\n{"b":1}' }]],
])("readPayloads reports what is lost, and reads on behind it: %j", (data, payloads) => {
  expect(read(data)).toEqual(payloads);
});

test.each<[string, Payload[]]>([
  ['{"a":1}', [json({ a: 1 })]],
  ["[DONE]", [done]],
  ['{"a":', [{ type: "unfinished-event", text: '{"a":' }]],
  ['{"a":1}\n{"b', [json({ a: 1 }), { type: "unfinished-event", text: '{"b' }]],
])("readPayloads takes the end of the body for no damage: %j", (data, payloads) => {
  expect(read(data, undefined, "tail")).toEqual(payloads);
});

test("readPayloads takes what an error event says in text, or in its last line", () => {
  expect(read("boom", "error")).toEqual([json({ error: "boom" })]);
  expect(read('trace\n{"message":"m"}', "error")).toEqual([json({ error: { message: "m" } })]);
  expect(read('{"mess', "error", "tail")).toEqual([{ type: "unfinished-event", text: '{"mess' }]);
});

test("readPayloads leaves the text of foreign events alone, unless a frame may be in it", () => {
  expect(read("pong", "ping")).toEqual([]);
  expect(read('{"a', "ping")).toEqual([{ type: "damaged-event", text: '{"a' }]);
});

test.each([
  [undefined, false],
  ["message", false],
  ["error", false],
  ["gateway.progress", true],
])("isForeignName(%j) is %s", (name, isForeign) => {
  expect(isForeignName(name)).toBe(isForeign);
});

test.each<[string, Payload[]]>([
  ['\n{"a": [1]}\n', [json({ a: [1] }), unframed('\n{"a": [1]}\n'), done]],
  ['{"a":1}\n[DONE]\n', [json({ a: 1 }), unframed('{"a":1}\n[DONE]\n'), done]],
  ['{"a":1}{"b":2}', [unframed('{"a":1}{"b":2}')]],
  ["{'a':1}", [unframed("{'a':1}")]],
  ["[DONE]", [unframed("[DONE]")]],
  ['{"a":1', [{ type: "cut", text: '{"a":1' }]],
])("readPayloads reads a body without framing: %j", (data, payloads) => {
  expect(readPayloads({ kind: "body", name: undefined, data })).toEqual(payloads);
});

function unframed(text: string): Payload {
  return { type: "unframed", text };
}

// It took an hour with an expression that began anew at every space.
test("readPayloads reads white space behind a body once, however much there is", () => {
  const data = `{"a":1}${" ".repeat(1_000_000)}x`;
  expect(readPayloads({ kind: "body", name: undefined, data })).toEqual([unframed(data)]);
});
