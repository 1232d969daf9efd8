import { expect, test } from "vitest";
import { ToolCallAssembler } from "../../src/index.ts";
import { assemble, brief, calls, chunk, entry, finish } from "../chat-chunks.ts";

test("ToolCallAssembler gives the events of each chunk", () => {
  const assembler = new ToolCallAssembler({ generateId: () => "call_1" });
  expect(assembler.push(chunk({ content: "Hi" }))).toEqual([
    { type: "text", text: "Hi", choice: 0 },
  ]);
  const events = assembler.push(calls(entry(0, "f:0", "f", '{"x":1}')));
  expect(events).toEqual([
    { type: "tool-call-start", id: "call_1", name: "f", choice: 0, index: 0 },
    { type: "tool-call-delta", id: "call_1", fragment: '{"x":1}' },
    { type: "tool-call", call: expect.objectContaining({ id: "call_1", input: { x: 1 } }) },
  ]);
  expect(assembler.push(finish("stop"))).toEqual([{ type: "finish", choice: 0, reason: "stop" }]);
  expect(assembler.end()).toEqual([]);
});

test("ToolCallAssembler gives an error last, and nothing after it", () => {
  const assembler = new ToolCallAssembler();
  assembler.push(calls(entry(0, "a", "f", '{"x":')));
  const events = assembler.push({ error: { message: "m" } });
  expect(events.map(({ type }) => type)).toEqual(
    ["tool-call-delta", "tool-call", "error"].slice(1),
  );
  expect(assembler.push(calls(entry(1, "b", "g", '{"x":1}')))).toEqual([]);
  expect(assembler.end()).toEqual([]);
});

test("ToolCallAssembler.end without a finish reason is a truncated response", () => {
  const { error, calls: found } = assemble([calls(entry(0, "a", "f", "{}"))]);
  expect(brief(found)).toEqual(["f {} truncated"]);
  expect(error).toMatchObject({ code: "truncated-response" });
});

test.each([undefined, null, 5, "text", [], {}])("ToolCallAssembler skips the chunk %j", (value) => {
  expect(new ToolCallAssembler().push(value)).toEqual([]);
});

test.each<[string, unknown]>([
  ["chat: content", { choices: [{ delta: { content: Symbol("s") } }] }],
  ["chat: the type of a part", { choices: [{ delta: { parts: [{ type: { toString: 1 } }] } }] }],
  [
    "responses: the type of a part",
    {
      type: "response.content_part.done",
      item_id: "i",
      part: { type: { toString: 1 }, text: "t" },
    },
  ],
])("ToolCallAssembler.push takes what cannot be made text: %s", (_name, value) => {
  const assembler = new ToolCallAssembler();
  expect(() => assembler.push(value)).not.toThrow();
  expect(() => assembler.snapshot()).not.toThrow();
});
