import { respond } from "./setup.ts";

const response = await respond();
if (!response.body) throw new Error("No body");
const show = (name: string, input: unknown): void => console.log(name, JSON.stringify(input));
// #region readme
import { parse } from "jsonriver";
import { ChatEventStream } from "toolcall-stream";

const fill = async (name: string, fragments: ReadableStream<string>) => {
  for await (const input of parse(fragments)) show(name, input);
};

const writers = new Map<string, WritableStreamDefaultWriter<string>>();
for await (const event of response.body.pipeThrough(new ChatEventStream())) {
  if (event.type === "tool-call-start") {
    const { readable, writable } = new TransformStream<string, string>();
    fill(event.name, readable).catch(() => {}); // what is no JSON is an incomplete call
    writers.set(event.id, writable.getWriter());
  } else if (event.type === "tool-call-delta") {
    const writer = writers.get(event.id);
    writer?.write(event.fragment).catch(() => {});
  }
}
// #endregion
