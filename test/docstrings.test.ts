import { readdirSync, readFileSync } from "node:fs";
import { expect, test, vi } from "vitest";
import * as library from "../src/index.ts";
import {
  ChatEventStream,
  collect,
  findPairingFaults,
  kimiK2ToolCallIds,
  mapToolCallIds,
  mendHistory,
  type ToolCall,
  ToolCallAssembler,
  ToolCallStream,
  ToolCallStreamError,
  toolResult,
  turnMessages,
  uniqueToolCallIds,
  UniqueToolCallIdStream,
} from "../src/index.ts";
import { sse } from "./bodies.ts";
import { calls as chatCalls, chunk as chatChunk, entry, finish } from "./chat-chunks.ts";

const source = new URL("../src/", import.meta.url);
const files = readdirSync(source, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".ts"))
  .map((file) => readFileSync(new URL(file, source), "utf8"));

/** Docstring and name of all that is exported. */
const docstrings = files.flatMap((text) =>
  [
    ...text.matchAll(/^\/\*\*\n((?: \*.*\n)+?) \*\/\nexport (?:async )?(?:function|class) (\w+)/gm),
  ].map(([, docstring = "", name = ""]) => ({ docstring, name })),
);

/** What a docstring shows. */
function exampleIn(docstring: string): string | undefined {
  const text = / \* @example.*\n \* ```ts\n([^]*?)\n \* ```/.exec(docstring)?.[1];
  return text?.replaceAll(/^ \* ?/gm, "");
}

/** The text between the region marks of that name in this file. */
function regionOf(name: string): string | undefined {
  const text = readFileSync(new URL(import.meta.url), "utf8");
  const region = new RegExp(`// #region ${name}\n([^]*?)\n *// #endregion`).exec(text)?.[1];
  const indent = /^ */.exec(region ?? "")?.[0] ?? "";
  return region?.replaceAll(new RegExp(`^${indent}`, "gm"), "");
}

test.each(Object.keys(library))("the docstring of %s has an example, and it runs here", (name) => {
  const docstring = docstrings.find((each) => each.name === name)?.docstring ?? "";
  const example = exampleIn(docstring);
  expect(example).toBeTypeOf("string");
  expect(example).toBe(regionOf(name));
});

const events = [
  chatChunk({ content: "Hi" }),
  chatCalls(entry(0, "a", "add", '{"x":')),
  chatCalls(entry(0, "", "", "1}")),
];
const ended = [...events, finish("tool_calls")];

function respond(...payloads: unknown[]): { body: ReadableStream<Uint8Array<ArrayBuffer>> } {
  const { body } = new Response(sse(...payloads));
  if (body === null) throw new Error("No body");
  return { body };
}

/** What is printed by an example. */
function printed(): unknown[][] {
  const lines: unknown[][] = [];
  vi.spyOn(console, "log").mockImplementation((...values) => {
    lines.push(values);
  });
  vi.spyOn(console, "error").mockImplementation((...values) => {
    lines.push(values);
  });
  return lines;
}

const id = expect.stringMatching(/^call_[a-z0-9]{28}$/);

test("the example of ToolCallStream", async () => {
  const response = respond(...ended);
  const lines = printed();
  // #region ToolCallStream
  for await (const call of response.body.pipeThrough(new ToolCallStream())) {
    console.log(call.id, call.name, call.input);
  }
  // #endregion
  expect(lines).toEqual([[id, "add", { x: 1 }]]);
});

test("the example of ChatEventStream", async () => {
  const response = respond(...ended);
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  // #region ChatEventStream
  for await (const event of response.body.pipeThrough(new ChatEventStream())) {
    if (event.type === "text") process.stdout.write(event.text);
  }
  // #endregion
  expect(write.mock.calls).toEqual([["Hi"]]);
  write.mockRestore();
});

test("the example of ToolCallAssembler", async () => {
  const chunks = ended;
  const lines = printed();
  // #region ToolCallAssembler
  const assembler = new ToolCallAssembler();
  for await (const chunk of chunks) {
    for (const event of assembler.push(chunk)) {
      if (event.type === "tool-call") console.log(event.call.name, event.call.input);
    }
  }
  for (const event of assembler.end()) console.log(event.type);
  // #endregion
  expect(lines).toEqual([["add", { x: 1 }]]);
});

test("the example of collect", async () => {
  const response = respond(...ended);
  // #region collect
  const { message, toolCalls } = await collect(response.body);
  // #endregion
  expect(message).toMatchObject({ role: "assistant", content: "Hi" });
  expect(toolCalls).toMatchObject([{ name: "add", input: { x: 1 } }]);
});

test("the example of ToolCallStreamError", async () => {
  const { body } = respond(...events, { error: { message: "engine died" } });
  const run = vi.fn();
  const lines = printed();
  // #region ToolCallStreamError
  try {
    for await (const call of body.pipeThrough(new ToolCallStream())) run(call);
  } catch (error) {
    if (error instanceof ToolCallStreamError && error.code === "provider-error") {
      console.error(error.provider?.message);
    } else throw error;
  }
  // #endregion
  expect(run).toHaveBeenCalledOnce();
  expect(lines).toEqual([["engine died"]]);
});

test("the example of toolResult", async () => {
  const completion = await collect(respond(...ended).body);
  const messages: unknown[] = [completion.message];
  const run = vi.fn(async ({ name }: ToolCall) => `${name} was run`);
  for (const call of completion.toolCalls) {
    // #region toolResult
    messages.push(toolResult(call, call.status === "incomplete" ? call.error : await run(call)));
    // #endregion
  }
  expect(messages[1]).toEqual({
    role: "tool",
    tool_call_id: id,
    name: "add",
    content: "add was run",
  });
});

test("the example of turnMessages", async () => {
  const { body } = respond(...ended);
  const calls = new ToolCallStream();
  const messages: unknown[] = [];
  const results = [];
  for await (const call of body.pipeThrough(calls)) {
    results.push(Promise.resolve(toolResult(call, "added")));
  }
  // #region turnMessages
  messages.push(...turnMessages(await calls.completion, await Promise.all(results)));
  // #endregion
  expect(messages).toMatchObject([
    { role: "assistant", tool_calls: [{ id }] },
    { role: "tool", content: "added" },
  ]);
});

/** A history with the ids that a server sent, in which they repeat. */
function history(): object[] {
  return ["add", "sub"].flatMap((name) => [
    { role: "assistant", tool_calls: [{ id: "a", type: "function", function: { name } }] },
    { role: "tool", tool_call_id: "a", content: "" },
  ]);
}

test("the example of findPairingFaults", () => {
  const messages = history();
  expect(() => {
    // #region findPairingFaults
    if (findPairingFaults(messages).length > 0) throw new Error("The history does not pair");
    // #endregion
  }).toThrow("The history does not pair");
});

test("the example of mendHistory", () => {
  const messages = history();
  const warn = vi.spyOn(console, "warn").mockImplementation(() => {});
  // #region mendHistory
  const mended = mendHistory(messages, { onFault: (fault) => console.warn(fault.code) });
  // #endregion
  expect(warn.mock.calls).toEqual([["bad-arguments"], ["repeated-id"], ["bad-arguments"]]);
  expect(findPairingFaults(mended)).toEqual([]);
});

test("the example of mapToolCallIds", () => {
  const messages = history();
  const mapped =
    // #region mapToolCallIds
    mapToolCallIds(messages, ({ number }) => `${number}`.padStart(9, "0"));
  // #endregion
  expect(mapped).toMatchObject([
    { tool_calls: [{ id: "000000000" }] },
    { tool_call_id: "000000000" },
    { tool_calls: [{ id: "000000001" }] },
    { tool_call_id: "000000001" },
  ]);
});

test("the example of kimiK2ToolCallIds", () => {
  const request = { model: "kimi-k2" };
  const messages = history();
  // #region kimiK2ToolCallIds
  const body = { ...request, messages: kimiK2ToolCallIds(messages) };
  // #endregion
  expect(body).toMatchObject({
    model: "kimi-k2",
    messages: [
      { tool_calls: [{ id: "functions.add:0" }] },
      { tool_call_id: "functions.add:0" },
      { tool_calls: [{ id: "functions.sub:1" }] },
      { tool_call_id: "functions.sub:1" },
    ],
  });
});

test("the example of UniqueToolCallIdStream", async () => {
  const upstream = respond(...ended);
  const answer = (): Response => {
    // #region UniqueToolCallIdStream
    const body = upstream.body.pipeThrough(new UniqueToolCallIdStream());
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
    // #endregion
  };
  expect(await answer().text()).toMatch(/"id":"call_[a-z0-9]{28}"/);
});

test("the example of uniqueToolCallIds", async () => {
  vi.stubGlobal("fetch", async () => {
    const headers = { "content-type": "text/event-stream" };
    return new Response(respond(...ended).body, { headers });
  });
  /** Stands for the class of an SDK. */
  class OpenAI {
    readonly fetch: typeof fetch;
    constructor(options: { fetch: typeof fetch }) {
      this.fetch = options.fetch;
    }
  }
  // #region uniqueToolCallIds
  const client = new OpenAI({ fetch: uniqueToolCallIds() });
  // #endregion
  const response = await client.fetch("http://localhost/chat/completions");
  expect(await response.text()).toMatch(/"id":"call_[a-z0-9]{28}"/);
  vi.unstubAllGlobals();
});
