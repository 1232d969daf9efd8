import { expect, inject, test } from "vitest";
import { type ToolCall, ToolCallStream, ToolCallStreamError } from "../src/index.ts";
import { sse } from "./bodies.ts";
import { calls, entry, finish } from "./chat-chunks.ts";

const WEATHER = calls(entry(0, "get_weather:0", "get_weather", ""));
const TOKYO = calls(entry(0, undefined, undefined, '{"city":"東京 🗼"}'));
const TIME = calls(entry(1, "get_time:1", "get_time", '{"zone":"Asia/'));
const REST = calls(entry(1, undefined, undefined, 'Tokyo"}'));

const WHOLE = sse(WEATHER, TIME, TOKYO, REST, finish("tool_calls"), "[DONE]");
const WHOLE_CALLS = [
  { name: "get_weather", status: "complete", input: { city: "東京 🗼" } },
  { name: "get_time", status: "complete", input: { zone: "Asia/Tokyo" } },
];
const OPEN = sse(WEATHER, TIME, TOKYO);
const OPEN_CALLS = [
  { name: "get_weather", status: "complete", input: { city: "東京 🗼" } },
  { name: "get_time", status: "incomplete", error: { code: "truncated" } },
];

test.each(["cut", "gzip"])("/%s: a body that the network cuts into many chunks", async (path) => {
  let chunkCount = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      chunkCount += 1;
      controller.enqueue(chunk);
    },
  });
  const body = bodyOf(await post(path, WHOLE)).pipeThrough(counter);
  const { found, error } = await readCalls(body);
  expect(found).toMatchObject(WHOLE_CALLS);
  expect(error).toBeUndefined();
  expect(chunkCount).toBeGreaterThan(1);
});

test("a body that ends early: the complete call, the open one as incomplete, an error", async () => {
  const { found, error } = await readCalls(bodyOf(await post("cut", OPEN)));
  expect(found).toMatchObject(OPEN_CALLS);
  expect(error).toMatchObject({ code: "truncated-response" });
});

test("a server that dies: the complete call, the open one as incomplete, the reset", async () => {
  const key = newKey();
  const body = bodyOf(await post(`hold?key=${key}`, OPEN));
  const { found, error } = await readCalls(body, () => post(`reset?key=${key}`));
  expect(found).toMatchObject(OPEN_CALLS);
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(ToolCallStreamError);
});

test("an abort: the complete call, the open one as incomplete, the abort", async () => {
  const key = newKey();
  const abort = new AbortController();
  const body = bodyOf(await post(`hold?key=${key}`, OPEN, abort.signal));
  const { found, error } = await readCalls(body, () => abort.abort());
  expect(found).toMatchObject(OPEN_CALLS);
  expect(error).toMatchObject({ name: "AbortError" });
  await post(`closed?key=${key}`);
});

test("leaving the loop closes the connection", async () => {
  const key = newKey();
  const body = bodyOf(await post(`hold?key=${key}`, OPEN));
  const names: string[] = [];
  for await (const call of body.pipeThrough(new ToolCallStream())) {
    names.push(call.name);
    break;
  }
  expect(names).toEqual(["get_weather"]);
  await post(`closed?key=${key}`);
});

test("a server that holds the connection after [DONE]: the loop ends", async () => {
  const key = newKey();
  const body = bodyOf(await post(`hold?key=${key}`, WHOLE));
  const { found, error, stream } = await readCalls(body);
  expect(found).toMatchObject(WHOLE_CALLS);
  expect(error).toBeUndefined();
  expect(await stream.completion).toMatchObject({ finishReason: "tool_calls" });
  // 404 if it had been closed.
  expect((await post(`reset?key=${key}`)).status).toBe(204);
});

/** One for each connection that the server holds: several runs may share a server. */
function newKey(): string {
  return `${Math.random()}`;
}

function post(path: string, body = "", signal: AbortSignal | null = null): Promise<Response> {
  return fetch(`${inject("serverUrl")}/${path}`, { method: "POST", body, signal });
}

function bodyOf(response: Response): ReadableStream<Uint8Array> {
  if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
  return response.body;
}

async function readCalls(body: ReadableStream<Uint8Array>, afterFirst?: () => unknown) {
  const stream = new ToolCallStream();
  const found: ToolCall[] = [];
  let error: unknown;
  try {
    for await (const call of body.pipeThrough(stream)) {
      if (found.push(call) === 1) await afterFirst?.();
    }
  } catch (reason) {
    error = reason;
  }
  return { found, error, stream };
}
