// Since TypeScript 5.7 arrays of bytes name their buffer, and `fetch` gives this one.

import { ChatEventStream, collect, ToolCallStream } from "toolcall-stream";

export async function read(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
  for await (const call of body.pipeThrough(new ToolCallStream())) console.log(call.id);
}

export async function readEvents(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
  for await (const event of body.pipeThrough(new ChatEventStream())) console.log(event.type);
}

export async function collectAll(body: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<number> {
  return (await collect(body)).toolCalls.length;
}
