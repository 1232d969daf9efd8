import { expect, test } from "vitest";
import { ChatEventStream, ToolCallStream } from "../../src/index.ts";
import { bodyOf, readAll, sse } from "../bodies.ts";
import { brief, calls, chunk, entry, finish } from "../chat-chunks.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const two = sse(calls(entry(0, "a", "f", '{"x":1}')), calls(entry(1, "b", "g", '{"y":2}')));
const open = sse(calls(entry(2, "c", "h", '{"z":')));
const both = ['f {"x":1} complete', 'g {"y":2} complete'];
const all = [...both, 'h {"z": truncated'];

/** Reads one value at a time, and lets everything else go on in between. */
async function readSlowly<T>(stream: ReadableStream<T>): Promise<{ values: T[]; error: unknown }> {
  const values: T[] = [];
  const reader = stream.getReader();
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 2));
    try {
      const { done, value } = await reader.read();
      if (done) return { values, error: undefined };
      values.push(value);
    } catch (error) {
      return { values, error };
    }
  }
}

test("the streams are TransformStreams, and their readable is always the same", () => {
  for (const stream of [new ToolCallStream(), new ChatEventStream()]) {
    expect(stream).toBeInstanceOf(TransformStream);
    expect(stream.readable).toBe(stream.readable);
    expect(stream.readable).toBeInstanceOf(ReadableStream);
    expect(stream.writable).toBeInstanceOf(WritableStream);
  }
});

test("two complete calls and an error in one chunk: two calls, then the error, to a slow reader", async () => {
  const body = bodyOf([encode(two + open + sse({ error: { message: "m" } }))]);
  const { values, error } = await readSlowly(body.pipeThrough(new ToolCallStream()));
  expect(brief(values)).toEqual(all);
  expect(error).toMatchObject({ code: "provider-error" });
});

test("a connection that resets: every call, then the error of the source, as it is", async () => {
  const reset = new Error("ECONNRESET");
  const stream = new ToolCallStream();
  const { values, error } = await readSlowly(
    bodyOf([encode(two), encode(open)], reset).pipeThrough(stream),
  );
  expect(brief(values)).toEqual(all);
  expect(error).toBe(reset);
  await expect(stream.completion).rejects.toBe(reset);
  expect(stream.snapshot().toolCalls).toEqual(values);
});

test("a source that fails while nobody reads loses nothing either", async () => {
  const stream = new ToolCallStream();
  const writer = stream.writable.getWriter();
  const written = writer.write(encode(two + open));
  const reader = stream.readable.getReader();
  const first = await reader.read();
  await written;
  const reset = new Error("reset");
  await writer.abort(reset);
  reader.releaseLock();
  const { values, error } = await readAll(stream.readable);
  expect(brief([first.value, ...values].flatMap((call) => call ?? []))).toEqual(all);
  expect(error).toBe(reset);
});

test("behind [DONE] the readable closes though the connection stays open, and the rest is drained", async () => {
  let pulls = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        pulls += 1;
        if (pulls === 1) controller.enqueue(encode(two + sse("[DONE]")));
        else if (pulls < 5) controller.enqueue(encode(": more\n\n"));
        else await new Promise(() => {});
      },
    },
    { highWaterMark: 0 },
  );
  const stream = new ToolCallStream();
  const { values, error } = await readAll(body.pipeThrough(stream));
  expect(brief(values)).toEqual(both);
  expect(error).toBeUndefined();
  await expect(stream.completion).resolves.toMatchObject({ finishReason: null });
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(pulls).toBe(5);
});

test("a connection that resets behind [DONE] changes nothing", async () => {
  const stream = new ToolCallStream();
  const body = bodyOf([encode(two), encode(sse("[DONE]"))], new Error("reset"));
  const { values, error } = await readAll(body.pipeThrough(stream));
  expect(brief(values)).toEqual(both);
  expect(error).toBeUndefined();
  await new Promise((resolve) => setTimeout(resolve, 5));
});

test("an error of the response cancels the body", async () => {
  let reason: unknown;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encode(two + sse({ error: "m" })));
    },
    cancel(cause) {
      reason = cause;
    },
  });
  const { error } = await readAll(body.pipeThrough(new ToolCallStream()));
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(reason).toBe(error);
});

test("leaving the loop cancels the body, and completion says so", async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(encode(two));
    },
    cancel() {
      isCancelled = true;
    },
  });
  const stream = new ToolCallStream();
  for await (const call of body.pipeThrough(stream)) {
    expect(call.name).toBe("f");
    break;
  }
  expect(isCancelled).toBe(true);
  await expect(stream.completion).rejects.toMatchObject({ code: "cancelled" });
  expect(stream.snapshot().toolCalls).toHaveLength(2);
});

test("cancelling hands the reason on", async () => {
  let reason: unknown;
  const body = new ReadableStream<Uint8Array>({
    cancel(cause) {
      reason = cause;
    },
  });
  const stream = new ToolCallStream();
  await body.pipeThrough(stream).cancel("enough");
  // Chromium cancels the readable side before the source.
  await expect.poll(() => reason).toBe("enough");
  await expect(stream.completion).rejects.toMatchObject({ code: "cancelled", cause: "enough" });
});

test("nothing is read ahead of the reader beyond one chunk", async () => {
  let pulls = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        pulls += 1;
        controller.enqueue(encode(sse(calls(entry(pulls, `${pulls}`, "f", '{"x":1}')))));
      },
    },
    { highWaterMark: 0 },
  );
  const reader = body.pipeThrough(new ToolCallStream()).getReader();
  for (let read = 1; read <= 3; read += 1) {
    await reader.read();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(pulls).toBe(read + 1);
  }
  await reader.cancel();
});

test("completion settles only when the readable has been read to its end", async () => {
  const stream = new ToolCallStream();
  const reader = bodyOf([encode(two + sse(finish("stop"), "[DONE]"))])
    .pipeThrough(stream)
    .getReader();
  let isSettled = false;
  void stream.completion.then(() => (isSettled = true));
  await reader.read();
  await reader.read();
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(isSettled).toBe(false);
  expect((await reader.read()).done).toBe(true);
  expect(await stream.completion).toEqual(stream.snapshot());
});

test.each([5, null, { data: 1 }])("a chunk that is neither bytes nor text: %j", async (bad) => {
  const stream = new ToolCallStream();
  const chunks = [encode(two + open), bad as unknown as string];
  const { values, error } = await readAll(bodyOf(chunks).pipeThrough(stream));
  expect(brief(values)).toEqual(all);
  expect(error).toBeInstanceOf(TypeError);
  await expect(stream.completion).rejects.toBe(error);
});

test("the streams take text as well, through TextDecoderStream or as it is", async () => {
  const texts = bodyOf([two.slice(0, 50), two.slice(50), sse("[DONE]")]);
  expect(brief((await readAll(texts.pipeThrough(new ToolCallStream()))).values)).toEqual(both);
});

test("ChatEventStream raises what ToolCallAssembler gives as an event", async () => {
  const { values, error } = await readAll(
    bodyOf([encode(sse(chunk({ content: "Hi" }), { error: "m" }))]).pipeThrough(
      new ChatEventStream(),
    ),
  );
  expect(values).toEqual([{ type: "text", text: "Hi", choice: 0 }]);
  expect(error).toMatchObject({ code: "provider-error" });
});

test("several tees and pipes behind it see the same values", async () => {
  const [left, right] = bodyOf([encode(two + sse("[DONE]"))])
    .pipeThrough(new ToolCallStream())
    .tee();
  const [a, b] = await Promise.all([readAll(left), readAll(right)]);
  expect(a.values).toEqual(b.values);
  expect(brief(a.values)).toEqual(both);
});

test("cancelling while a read waits ends the read, and nothing goes on", async () => {
  let isCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    cancel() {
      isCancelled = true;
    },
  });
  const reader = body.pipeThrough(new ToolCallStream()).getReader();
  const read = reader.read();
  await new Promise((resolve) => setTimeout(resolve, 2));
  await reader.cancel("enough");
  expect(await read).toEqual({ done: true, value: undefined });
  await new Promise((resolve) => setTimeout(resolve, 2));
  expect(isCancelled).toBe(true);
});
