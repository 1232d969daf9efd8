import { expect, test, vi } from "vitest";
import type { ChatStreamEvent } from "../../src/index.ts";
import { KnownEvents } from "../../src/forms/known-events.ts";
import { resolveOptions } from "../../src/options.ts";
import { ResponseReader } from "../../src/response/response-reader.ts";
import { calls, chunk } from "../chat-chunks.ts";
import { bytesAsText, rewriteChunks } from "../wire/rewriting.ts";

const encoder = new TextEncoder();
const event = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;
const text = (content: string, rest: object = {}): string =>
  event({ id: "chatcmpl-1", model: "m", ...chunk({ content }), ...rest });

/** What each chunk gives, and how many of the events were known by their form. */
function read(chunks: readonly (string | Uint8Array)[], maxEventLength = 10_000) {
  const known = vi.spyOn(KnownEvents.prototype, "read");
  const reader = new ResponseReader(resolveOptions({ maxEventLength }), false);
  const steps: ChatStreamEvent[][] = chunks.map((each) =>
    reader.push(typeof each === "string" ? encoder.encode(each) : each).slice(),
  );
  steps.push(reader.end());
  const count = known.mock.results.filter(({ value }) => value !== undefined).length;
  known.mockRestore();
  const shown = steps.map((step) =>
    step.map((each) => (each.type === "text" ? each.text : each.type)).join(" "),
  );
  return { shown, count, error: reader.error, completion: reader.snapshot() };
}

const lead = [text("a"), text("b"), text("c")];

test("the third event of a form is known, whatever the chunks", () => {
  expect(read([...lead, text("d")])).toMatchObject({ shown: ["a", "b", "c", "d", ""], count: 1 });
  const body = encoder.encode([...lead, text("d"), text("e")].join(""));
  expect(read([body])).toMatchObject({ shown: ["a b c d e", ""], count: 2 });
  const [half, rest] = [body.slice(0, -60), body.slice(-60)];
  expect(read([half, rest, encoder.encode(text("f"))]).shown).toEqual(["a b c d", "e", "f", ""]);
});

test("chunks that are shorter than an event are not looked at", () => {
  const body = encoder.encode([...lead, text("d")].join(""));
  const pieces = Array.from({ length: Math.ceil(body.length / 50) }, (_, n) =>
    body.slice(n * 50, n * 50 + 50),
  );
  expect(read(pieces)).toMatchObject({ count: 0, completion: { message: { content: "abcd" } } });
});

test("a short chunk behind a cut event ends it", () => {
  const body = encoder.encode([...lead, text("d")].join(""));
  expect(read([body.slice(0, -5), body.slice(-5)]).shown).toEqual(["a b c", "d", ""]);
});

test("text behind bytes takes its turn", () => {
  const body = encoder.encode([...lead, text("d")].join(""));
  const reader = new ResponseReader(resolveOptions({}), false);
  reader.push(body.slice(0, -5));
  reader.push(new TextDecoder().decode(body.slice(-5)) + text("e"));
  expect(reader.snapshot().message).toMatchObject({ content: "abcde" });
});

test("a cut event at the end of the body is read as what it is", () => {
  const body = encoder.encode([...lead, text("d")].join(""));
  expect(read([body.slice(0, -1)])).toMatchObject({ shown: ["a b c", "d"] });
  expect(read([body.slice(0, -9)]).error).toMatchObject({ code: "truncated-response" });
});

test("an event of a known form that is too long is too long", () => {
  const long = text("x".repeat(300));
  const { error, shown } = read([...lead, long], 250);
  expect(shown).toEqual(["a", "b", "c", "", ""]);
  expect(error).toMatchObject({ code: "limit-exceeded", event: 3 });
  expect(read([...lead, long.slice(0, 260)], 250).error).toMatchObject({ code: "limit-exceeded" });
  // In characters: the bytes are more.
  expect(read([...lead, text("東".repeat(60))], 250).error).toMatchObject({
    code: "truncated-response",
  });
});

test("an event that is cut far behind its beginning does not wait", () => {
  const long = text("x".repeat(20_000));
  const { shown } = read([...lead, long.slice(0, 5000), long.slice(5000)], 100_000);
  expect(shown).toEqual(["a", "b", "c", "", "x".repeat(20_000), ""]);
});

test("an event that is longer than any piece of text is not remembered", () => {
  const long = text("x".repeat(5000));
  expect(read([...lead.slice(0, 1), long, long, long])).toMatchObject({ count: 0 });
});

test("usage, and what changes on every event, keep none from the lane", () => {
  const events = Array.from({ length: 20 }, (_, n) =>
    text(`${n}`, { created: n, usage: { total_tokens: n }, obfuscation: "x".repeat(n), p: "y" }),
  );
  const { count, completion } = read(events);
  expect(count).toBe(17);
  expect(completion).toMatchObject({
    usage: { total_tokens: 19 },
    response: { created: 19 },
    message: { content: events.map((_, n) => n).join("") },
  });
});

test("what changes of the response itself is told", () => {
  const events = Array.from({ length: 9 }, (_, n) => text("a", { created: n }));
  expect(read(events)).toMatchObject({ count: 6, completion: { response: { created: 8 } } });
});

test("keep-alives between events of a form cost it nothing", () => {
  const { count, shown } = read([...lead, ": ping\n\n", text("d"), `: ping\n\n${text("e")}`]);
  expect(count).toBe(2);
  expect(shown.join("")).toBe("abcde");
});

test("events that are marked by their line ends, and lists, are read as ever", () => {
  const crlf = [...lead, text("d")].map((each) => each.replaceAll("\n", "\r\n"));
  expect(read([...crlf, crlf.join("")])).toMatchObject({ count: 0 });
  expect(
    read([...crlf, crlf.join("")])
      .shown.join(" ")
      .replaceAll(" ", ""),
  ).toBe("abcdabcd");
});

test("behind the end, nothing is taken", () => {
  const body = encoder.encode([...lead, text("d"), "data: [DONE]\n\n", text("e")].join(""));
  expect(read([body]).shown).toEqual(["a b c d", ""]);
});

const delta = (piece: string, spaces: number): string =>
  `event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"${piece}"}${" ".repeat(spaces)}}\n\n`;

test("Anthropic's spaces, on both sides", () => {
  const chunks = [3, 0, 15, 7].map((spaces) => encoder.encode(delta("a", spaces)));
  expect(read(chunks)).toMatchObject({ count: 1 });
  const output = rewriteChunks(chunks);
  expect(output.map(bytesAsText).join("")).toBe(chunks.map(bytesAsText).join(""));
});

test("on the wire, a chunk of known events passes as the object that it is", () => {
  const chunks = [...lead, text("d") + text("e")].map((each) => encoder.encode(each));
  const output = rewriteChunks(chunks);
  expect(output[3]).toBe(chunks[3]);
});

test("on the wire, known events that are cut pass whole", () => {
  const body = encoder.encode([...lead, ..."defgh"].map((each) => text(each)).join(""));
  for (let cut = 1; cut < body.length; cut += 1) {
    const output = rewriteChunks([body.slice(0, cut), body.slice(cut)]);
    expect(output.map(bytesAsText).join("")).toBe(bytesAsText(body));
  }
});

const call = (fragment: string): string =>
  event({
    id: "chatcmpl-1",
    ...calls({ index: 0, id: "f:0", function: { name: "f", arguments: fragment } }),
  });

test("on the wire, an id that comes with every fragment is changed on the lane too", () => {
  const body = [...'{"x":12345}'].map(call);
  const known = vi.spyOn(KnownEvents.prototype, "read");
  const output = rewriteChunks(body.map((each) => encoder.encode(each)));
  expect(known.mock.results.filter(({ value }) => value !== undefined)).toHaveLength(8);
  known.mockRestore();
  expect(output.map(bytesAsText).join("")).toBe(body.join("").replaceAll("f:0", "fresh-1"));
});

const opener = (index: number): string =>
  event(calls({ index, id: `f:${index}`, function: { name: "f", arguments: '{"x":"y"}' } }));

test("on the wire, there has to be an id for a call in a known event too", () => {
  const ids = ["a", "b", "c", ""];
  const generateId = (): string => ids.shift() ?? "";
  const chunks = [0, 1, 2, 3].map((index) => encoder.encode(opener(index)));
  expect(() => rewriteChunks(chunks, { generateId })).toThrow(TypeError);
  expect(ids).toEqual([]);
});
