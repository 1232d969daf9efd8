import { expect, test } from "vitest";
import {
  type Completion,
  type Dialect,
  type ToolCall,
  type ToolResults,
  toolResult,
  turnMessages,
} from "../../src/index.ts";
import { assemble, calls, chunk, entry, finish } from "../chat-chunks.ts";
import { called, completed } from "../dialects/responses/events.ts";
import { ending, text, whole } from "../messages-events.ts";

type Result = ToolResults[Dialect];

const answer = (call: ToolCall): Result => toolResult(call, call.name);

const ended = (...pieces: object[]): Completion =>
  assemble([...pieces, finish("tool_calls")]).completion;

/** A response of two calls, in each dialect. */
const TWO_CALLS: Readonly<Record<Dialect, Completion>> = {
  chat: ended(calls(entry(0, "a", "f", '{"x":1}'), entry(1, "b", "g", '{"x":2}'))),
  messages: assemble([...whole(0, "f", '{"x":1}'), ...whole(1, "g", '{"x":2}'), ...ending])
    .completion,
  responses: assemble([completed(called("a", "f", '{"x":1}'), called("b", "g", '{"x":2}'))])
    .completion,
};
const DIALECTS = ["chat", "messages", "responses"] as const;

test("what goes back in chat: the message, and a message for each result, in the order of the calls", () => {
  const { message, toolCalls } = TWO_CALLS.chat;
  const [first, second] = toolCalls.map(answer);
  expect(first).toMatchObject({ role: "tool" });
  const results = [second, first] as Result[];
  expect(turnMessages(TWO_CALLS.chat, results)).toEqual([message, first, second]);
});

test("what goes back in Messages: all results stand in one message", () => {
  const { message, toolCalls } = TWO_CALLS.messages;
  const [first, second] = toolCalls.map(answer);
  const results = [second, first] as Result[];
  expect(turnMessages(TWO_CALLS.messages, results)).toEqual([
    message,
    { role: "user", content: [first, second] },
  ]);
});

test("what goes back in Responses: the items, and an item for each result", () => {
  const { message, toolCalls } = TWO_CALLS.responses;
  const [first, second] = toolCalls.map(answer);
  const results = [second, first] as Result[];
  expect(turnMessages(TWO_CALLS.responses, results)).toEqual([
    ...(message as object[]),
    first,
    second,
  ]);
});

test.each(DIALECTS)("turnMessages wants one result for each call: %s", (dialect) => {
  const completion = TWO_CALLS[dialect];
  const results = completion.toolCalls.map(answer);
  const [f, g] = completion.toolCalls;
  expect(() => turnMessages(completion, results.slice(0, 1))).toThrow(
    new TypeError(`Cannot append turn: g (${g?.id}) has no result`),
  );
  expect(() => turnMessages(completion, [...results, ...results.slice(0, 1)])).toThrow(
    new TypeError(`Cannot append turn: f (${f?.id}) has more than one result`),
  );
  const foreign = TWO_CALLS[dialect === "chat" ? "messages" : "chat"].toolCalls.map(answer);
  const another = toolResult({ ...(f as ToolCall), id: "call_x" }, "");
  expect(() => turnMessages(completion, [...results, another])).toThrow(
    new TypeError("Cannot append turn: no call has the id call_x"),
  );
  for (const stray of [...foreign, undefined, Promise.resolve(results[0])]) {
    expect(() => turnMessages(completion, [...results, stray as Result])).toThrow(
      new TypeError("Cannot append turn: no call has the id undefined"),
    );
  }
});

test("an error names a nameless call as the message does", () => {
  const completion = ended(calls(entry(0, "a", "", '{"x":1}')));
  expect(() => turnMessages(completion, [])).toThrow(/unnamed_tool \(call_\w+\) has no result/);
});

const choice = (index: number, name: string): object => ({
  index,
  delta: { tool_calls: [entry(0, name, name, '{"x":1}')] },
  finish_reason: "tool_calls",
});

test("turnMessages leaves out the results of other choices", () => {
  const { completion } = assemble([{ choices: [choice(1, "g"), choice(0, "f")] }]);
  const results = completion.toolCalls.map(answer);
  expect(results).toHaveLength(2);
  const f = completion.toolCalls.find(({ name }) => name === "f") as ToolCall;
  expect(turnMessages(completion, results)).toEqual([completion.message, answer(f)]);
  // Not even one result is asked for.
  expect(turnMessages(completion, [answer(f)])).toEqual([completion.message, answer(f)]);
});

/** A completion whose message has more than the reader made of it. */
const withMessage = (completion: Completion, message: unknown): Completion =>
  ({ ...completion, message }) as Completion;

test("a call that the message answers itself needs no result, and one for it is left out", () => {
  const { responses, messages } = TWO_CALLS;
  const [f, g] = responses.toolCalls.map(({ id }) => id);
  const output = { type: "function_call_output", call_id: f, output: "4 m" };
  const items = [...(responses.message as object[]), output];
  const completion = withMessage(responses, items);
  const results = responses.toolCalls.map(answer);
  expect(results[1]).toMatchObject({ call_id: g });
  expect(turnMessages(completion, results)).toEqual([...items, results[1]]);
  expect(turnMessages(completion, results.slice(1))).toEqual([...items, results[1]]);

  const [, last] = messages.toolCalls as [ToolCall, ToolCall];
  const block = { type: "tool_result", tool_use_id: last.id, content: "" };
  const content = [...(messages.message as { content: object[] }).content, block];
  const answered = withMessage(messages, { role: "assistant", content });
  const [first] = messages.toolCalls.map(answer);
  expect(turnMessages(answered, messages.toolCalls.map(answer))).toEqual([
    answered.message,
    { role: "user", content: [first] },
  ]);
});

test("what looks like a call and is none needs no result", () => {
  const { chat } = TWO_CALLS;
  const { tool_calls: written, ...rest } = chat.message as { tool_calls: object[] };
  const other = { id: "search_1", type: "web_search" };
  const message = { ...rest, tool_calls: [other, ...written] };
  const results = chat.toolCalls.map(answer);
  expect(turnMessages(withMessage(chat, message), results)).toEqual([message, ...results]);
});

test("an empty message does not go back, one with anything does", () => {
  const empty = ended(chunk({ role: "assistant", content: "" }));
  expect(empty.message).toBeDefined();
  expect(turnMessages(empty, [])).toEqual([]);
  for (const fields of [{ annotations: [] }, { content: null }, { content: [] }]) {
    const message = { ...empty.message, ...fields };
    expect(turnMessages(withMessage(empty, message), [])).toEqual([]);
  }
  for (const delta of [{ content: "Hi" }, { reasoning: "So" }, { refusal: "No" }, { x: [1] }]) {
    const completion = ended(chunk(delta));
    expect(turnMessages(completion, [])).toEqual([completion.message]);
  }
  expect(turnMessages(assemble(ending).completion, [])).toEqual([]);
  expect(turnMessages(assemble([completed()]).completion, [])).toEqual([]);
  const { completion } = assemble([text(0, "Hi"), ...ending]);
  expect(turnMessages(withMessage(completion, { role: "assistant", content: [{}] }), [])).toEqual([
    { role: "assistant", content: [{}] },
  ]);
});

test("without a message nothing goes back, and results are an error", () => {
  const { completion: nothing } = assemble([]);
  expect(nothing.dialect).toBeUndefined();
  expect(turnMessages(nothing, [])).toEqual([]);
  const lost = assemble(
    [calls(entry(0, "a", "f", '{"x":1}')), chunk({ content: "too long" }), finish("tool_calls")],
    { maxMessageLength: 4 },
  ).completion;
  expect(lost.message).toBeUndefined();
  expect(turnMessages(lost, [])).toEqual([]);
  expect(() => turnMessages(lost, lost.toolCalls.map(answer))).toThrow(
    new TypeError("Cannot append turn: it has results, and no message"),
  );
});
