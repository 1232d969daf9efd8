import { expect, test } from "vitest";
import { UniqueToolCallIdStream } from "../../src/index.ts";
import { bodyOf, readAll, sse } from "../bodies.ts";
import { calls, entry } from "../chat-chunks.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** What comes out of the stream, as text, and what it raised. */
async function pipe(chunks: unknown[], stream: UniqueToolCallIdStream) {
  const body = bodyOf(chunks as Uint8Array[]) as ReadableStream<Uint8Array>;
  const { values, error } = await readAll(body.pipeThrough(stream));
  return { texts: values.map((bytes) => decoder.decode(bytes)), error };
}

test("UniqueToolCallIdStream is a TransformStream that gives whole events", async () => {
  const event = sse(calls(entry(0, "get_weather:0", "get_weather", "{}")));
  const bytes = encoder.encode(event + event);
  const stream = new UniqueToolCallIdStream();
  expect(stream).toBeInstanceOf(TransformStream);
  const { texts, error } = await pipe(
    [bytes.slice(0, 10), bytes.slice(10, -1), bytes.slice(-1)],
    stream,
  );
  expect(error).toBeUndefined();
  expect(texts).toHaveLength(2);
  const ids = texts.map((text) => /"id":"(call_[a-z0-9]{28})"/.exec(text)?.[1]);
  expect(ids[0]).toBe(ids[1]);
  expect(texts[0]?.replace(ids[0] ?? "", "get_weather:0")).toBe(event);
});

test("each stream gives other ids", async () => {
  const event = sse(calls(entry(0, "get_weather:0", "get_weather", "{}")));
  const outputs = await Promise.all(
    [1, 2].map(() => pipe([encoder.encode(event)], new UniqueToolCallIdStream())),
  );
  expect(outputs[0]?.texts).not.toEqual(outputs[1]?.texts);
});

test("what is no chunk, and what generates no ids, errors the stream", async () => {
  expect((await pipe(["text"], new UniqueToolCallIdStream())).error).toBeInstanceOf(TypeError);
  const event = encoder.encode(sse(calls(entry(0, "a", "f", "{}"))));
  const { error } = await pipe([event], new UniqueToolCallIdStream({ generateId: () => "" }));
  expect(error).toBeInstanceOf(TypeError);
});

test("a body that breaks off inside an event passes to its last byte, then fails as it did", async () => {
  const event = sse(calls(entry(0, "get_weather:0", "get_weather", "{}")));
  const failure = new Error("reset");
  const body = bodyOf([encoder.encode(event), encoder.encode('data: {"choi')], failure);
  const ids = new UniqueToolCallIdStream({ generateId: () => "fresh" });
  const { values, error } = await readAll((body as ReadableStream<Uint8Array>).pipeThrough(ids));
  expect(values.map((bytes) => decoder.decode(bytes)).join("")).toBe(
    `${event.replace("get_weather:0", "fresh")}data: {"choi`,
  );
  expect(error).toBe(failure);
});

test("options are checked at once", () => {
  expect(() => new UniqueToolCallIdStream({ maxEventLength: -1 })).toThrow(RangeError);
  // @ts-expect-error -- that is the point
  expect(() => new UniqueToolCallIdStream(null)).toThrow(TypeError);
});
