import { expect, test } from "vitest";
import type { ToolCallStreamOptions } from "../../src/index.ts";
import { resolveOptions } from "../../src/options.ts";
import { ResponseReader } from "../../src/response/response-reader.ts";
import { sse } from "../bodies.ts";
import { brief, calls, chunk, entry, finish } from "../chat-chunks.ts";
import { chatMessage } from "../chat-message.ts";

const whole = sse(calls(entry(0, "a", "f", '{"x":1}')));
const open = sse(calls(entry(1, "b", "g", '{"y":')));
const end = sse(finish("tool_calls"), "[DONE]");

const readerOf = (options: ToolCallStreamOptions = {}) =>
  new ResponseReader(resolveOptions(options), false);

type Reader = ReturnType<typeof readerOf>;

/** The types of the events that each step gives. */
const typesOf = (...steps: { readonly type: string }[][]): string[][] =>
  steps.map((events) => events.map(({ type }) => type));

test("ResponseReader gives the events of each chunk, and none behind the end", () => {
  const reader = readerOf();
  const steps = [reader.push(whole), reader.push(end), reader.push(open), reader.end()];
  expect(typesOf(...steps)).toEqual([
    ["tool-call-start", "tool-call-delta", "tool-call"],
    ["finish"],
    [],
    [],
  ]);
  expect(reader).toMatchObject({ isEnded: true, error: undefined });
  expect(brief(reader.snapshot().toolCalls)).toEqual(['f {"x":1} complete']);
});

test("ResponseReader gives only calls where only those are asked for", () => {
  const reader = new ResponseReader(resolveOptions({}), true);
  const text = sse(chunk({ content: "Hi" }));
  expect(typesOf(reader.push(text + whole + end))).toEqual([["tool-call"]]);
  expect(chatMessage(reader.snapshot())?.content).toBe("Hi");
});

test("ResponseReader reads at the end the event that has no blank line", () => {
  const reader = readerOf();
  const steps = [reader.push(sse(finish("stop")).trimEnd()), reader.end()];
  expect(typesOf(...steps)).toEqual([[], ["finish"]]);
  expect(reader.error).toBeUndefined();
});

test.each<[string, (reader: Reader) => object[], object]>([
  ["a chunk that is no bytes", (reader) => reader.push(5), { name: "TypeError" }],
  [
    "an event beyond the limit",
    (reader) => reader.push("x".repeat(401)),
    { code: "limit-exceeded", limit: { name: "maxEventLength", value: 400 }, event: 2 },
  ],
  [
    "an error of the server",
    (reader) => reader.push(sse({ error: "m" })),
    { code: "provider-error" },
  ],
  ["the end of the body", (reader) => reader.end(), { code: "truncated-response" }],
])("ResponseReader ends at once, with what is open incomplete: %s", (_name, endOf, error) => {
  const reader = readerOf({ maxEventLength: 400 });
  reader.push(whole + open);
  expect(endOf(reader)).toMatchObject([
    { type: "tool-call", call: { name: "g", error: { code: "truncated" } } },
  ]);
  expect(reader.isEnded).toBe(true);
  expect(reader.error).toMatchObject(error);
});

test("ResponseReader ends with the very event that is over a limit, of a form that it knows too", () => {
  const reader = readerOf({ maxArgumentsLength: 40 });
  reader.push(sse(calls(entry(0, "a", "f", '{"x":"'))));
  const fragment = sse(calls(entry(0, undefined, undefined, "0123456789")));
  const hasEnded = [1, 2, 3, 4].map(() => {
    reader.push(fragment);
    return reader.isEnded;
  });
  // With its id and name, the call has 18, 28, 38 and 48 characters.
  expect(hasEnded).toEqual([false, false, false, true]);
  expect(reader.error).toMatchObject({ code: "limit-exceeded" });
});

test("ResponseReader.abort gives open calls incomplete, and has no error of its own", () => {
  const reader = readerOf();
  reader.push(open);
  expect(reader.abort()).toMatchObject([{ call: { error: { code: "truncated" } } }]);
  expect(reader).toMatchObject({ isEnded: true, error: undefined });
});

test("ResponseReader lets a limit exceeded behind the end of the response change nothing", () => {
  const reader = readerOf({ maxEventLength: 400 });
  const events = reader.push(whole + end + sse("x".repeat(500)));
  expect(typesOf(events)).toEqual([["tool-call-start", "tool-call-delta", "tool-call", "finish"]]);
  expect(reader.error).toBeUndefined();
});

test("ResponseReader says at the end that a body is no event stream", () => {
  const excerpt = "<html>no event stream</html>";
  const reader = readerOf();
  expect([...reader.push(excerpt), ...reader.end()]).toEqual([]);
  expect(reader.error).toMatchObject({ code: "not-an-event-stream", excerpt });
});
