import { expect, test } from "vitest";
import { ToolCallAssembler } from "../../src/index.ts";
import { assemble, calls, chunk, entry, finish } from "../chat-chunks.ts";
import { chatMessage } from "../chat-message.ts";

test("a completion keeps its choices apart, sorted", () => {
  const { completion } = assemble([
    { choices: [{ index: 1, delta: { content: "one" } }] },
    chunk({ content: "zero" }),
    { choices: [{ index: 1, delta: {}, finish_reason: "stop" }] },
    finish("length"),
  ]);
  expect(
    completion.choices.map((choice) => [
      choice.index,
      chatMessage(choice)?.content,
      choice.finishReason,
    ]),
  ).toEqual([
    [0, "zero", "length"],
    [1, "one", "stop"],
  ]);
  expect(completion.message).toBe(completion.choices[0]?.message);
});

test("a response without choice 0 has no message and no reason of another choice", () => {
  const { completion } = assemble([
    { choices: [{ index: 1, delta: { content: "one" }, finish_reason: "stop" }] },
  ]);
  expect(completion).toMatchObject({
    message: { role: "assistant", content: null },
    finishReason: null,
    choices: [{ index: 1, message: { content: "one" }, finishReason: "stop" }],
  });
});

test("the calls of a message stand in order of first appearance, whichever came out first", () => {
  const { completion } = assemble([
    calls(entry(0, "a", "f", '{"x":'), entry(1, "b", "g", '{"y":1}')),
    calls(entry(0, "", "", "1}")),
    finish("stop"),
  ]);
  expect(completion.toolCalls.map(({ name }) => name)).toEqual(["g", "f"]);
  expect(chatMessage(completion)?.tool_calls?.map(({ id }) => id)).toEqual(
    [1, 0].map((position) => completion.toolCalls[position]?.id),
  );
});

test("the first finish reason counts, as it was sent", () => {
  expect(assemble([finish("TOOL-CALLS"), finish("stop")]).completion.finishReason).toBe(
    "TOOL-CALLS",
  );
});

test("a snapshot stays as it was when more calls and diagnostics come", () => {
  const assembler = new ToolCallAssembler();
  const before = assembler.snapshot();
  assembler.push(calls(entry(0, "a", "f", '{"x":1}{"x":1}')));
  expect(before).toMatchObject({ toolCalls: [], diagnostics: [] });
  expect(assembler.snapshot()).toMatchObject({
    toolCalls: [{ name: "f" }],
    diagnostics: [{ code: "repeated-arguments" }],
  });
});

test("a snapshot is the completion so far; before anything came, it has no message", () => {
  const assembler = new ToolCallAssembler();
  expect(assembler.snapshot()).toEqual({
    message: undefined,
    choices: [],
    toolCalls: [],
    finishReason: null,
    usage: undefined,
    diagnostics: [],
    diagnosticCount: 0,
    dialect: undefined,
  });
  assembler.push({ choices: [], usage: { total_tokens: 1 } });
  expect(assembler.snapshot()).toMatchObject({
    message: { role: "assistant", content: null },
    usage: { total_tokens: 1 },
    dialect: "chat",
  });
  assembler.push(chunk({ content: "Hi" }));
  const snapshot = assembler.snapshot();
  assembler.push(chunk({ content: " there" }));
  expect(chatMessage(snapshot)?.content).toBe("Hi");
  assembler.push({ error: "m" });
  expect(chatMessage(assembler.snapshot())?.content).toBe("Hi there");
});
