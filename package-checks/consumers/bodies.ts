// The bodies that people have, piped in without a cast.

import { ChatEventStream, collect, ToolCallStream } from "toolcall-stream";

export async function fetched(url: string): Promise<string[]> {
  const response = await fetch(url);
  if (!response.body) throw new Error("No body");
  const ids: string[] = [];
  for await (const call of response.body.pipeThrough(new ToolCallStream())) ids.push(call.id);
  return ids;
}

export async function read(body: ReadableStream<Uint8Array>): Promise<string[]> {
  const types: string[] = [];
  for await (const event of body.pipeThrough(new ChatEventStream())) types.push(event.type);
  return types;
}

export async function readText(body: ReadableStream<string>): Promise<string[]> {
  const names: string[] = [];
  const reader = body.pipeThrough(new ToolCallStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return names;
    names.push(value.name);
  }
}

export async function readEither(body: ReadableStream<Uint8Array | string>): Promise<void> {
  for await (const { id } of body.pipeThrough(new ToolCallStream())) console.log(id);
}

export async function collectEach(
  bytes: ReadableStream<Uint8Array>,
  text: ReadableStream<string>,
  response: Response,
): Promise<number> {
  let count = (await collect(bytes)).toolCalls.length + (await collect(text)).toolCalls.length;
  if (response.body) count += (await collect(response.body)).toolCalls.length;
  return count;
}

/** Through `readable` and `writable`, as `pipeTo` takes them. */
export async function piped(body: ReadableStream<Uint8Array>): Promise<void> {
  const calls = new ToolCallStream();
  const piping = body.pipeTo(calls.writable);
  for await (const call of calls.readable) console.log(call.id);
  await piping;
}

/** A `TransformStream` for those who ask for one. */
export const transform: TransformStream<Uint8Array | string, { readonly id: string }> =
  new ToolCallStream();
