import { describe, expect, test } from "vitest";
import { Output } from "../../src/calls/output.ts";
import { type JsonObject, ToolCallAssembler } from "../../src/index.ts";
import { CompletionBuilder } from "../../src/response/completion.ts";
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
    response: {},
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

/** A builder that has been told this, field by field. */
function told(says: readonly JsonObject[], maxMessageLength = 100) {
  const builder = new CompletionBuilder<unknown>(
    maxMessageLength,
    new Output<unknown>(() => {}, true),
  );
  for (const fields of says) builder.addResponse(fields);
  return builder;
}

const times = (count: number, fields: JsonObject): JsonObject[] =>
  Array.from({ length: count }, () => structuredClone(fields));

const text = (value: string) => ({ type: "text", choice: 0, field: "content", value }) as const;

describe("what the server says of the response", () => {
  test("is the last present value of each field", () => {
    const { response } = told([
      { id: "a", model: "m", container: { id: "c", expires_at: "t" }, created: 1 },
      { id: "b", container: { id: "d" }, created: 0, isStored: false },
    ]).build("messages");
    expect(response).toEqual({
      id: "b",
      model: "m",
      container: { id: "d" },
      created: 0,
      isStored: false,
    });
  });

  test.each([[null], [""], [undefined]])("is not erased by %j", (value) => {
    expect(told([{ id: "a" }, { id: value, model: value }]).build("chat").response).toEqual({
      id: "a",
    });
  });

  test("is a copy: a snapshot stays as it was", () => {
    const builder = told([{ id: "a" }]);
    const { response } = builder.build("chat");
    builder.addResponse({ id: "b" });
    expect(response).toEqual({ id: "a" });
  });

  test.each<[string, readonly JsonObject[], JsonObject | undefined]>([
    // A field costs its name and its JSON.
    ["as much as there is room for", [{ id: "12345" }], { id: "12345" }],
    ["one character more", [{ id: "123456" }], undefined],
    ["a value in the place of one that was too long", [{ id: "123456" }, { id: "1" }], undefined],
    ["a value in the place of another", [{ id: "54321" }, { id: "12345" }], { id: "12345" }],
    ["the same, again and again", times(9, { id: "12345" }), { id: "12345" }],
    ["an equal value that is an object", times(9, { id: [1, 20] }), { id: [1, 20] }],
    ["empty values", [{ id: "12345" }, { model: "", note: null }], { id: "12345" }],
    ["another field", [{ id: "12345" }, { n: 1 }], undefined],
  ])("counts towards maxMessageLength: %s", (_name, says, expected) => {
    const { response, message, diagnostics } = told(says, 9).build("chat");
    const isLost = expected === undefined;
    expect(response).toEqual(expected ?? {});
    expect(message === undefined).toBe(isLost);
    expect(diagnostics.map(({ code }) => code)).toEqual(isLost ? ["message-too-long"] : []);
  });

  test("is given up with the message, for good", () => {
    const builder = told([{ id: "a" }], 20);
    builder.addPart(text("word ".repeat(5)), "chat", () => {});
    builder.addResponse({ id: "b", model: "m" });
    const { response, message, diagnosticCount } = builder.build("chat");
    expect({ response, message, diagnosticCount }).toEqual({
      response: {},
      message: undefined,
      diagnosticCount: 1,
    });
  });
});
