import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ToolCallAssembler } from "../src/index.ts";
import { sse } from "../test/bodies.ts";
import { charactersInspected, expectLinear } from "./inspected.ts";
import { parameters } from "./setup.ts";

/** Which item an event names: none, always the same, or others. */
type Key = string | undefined;

/** One thing that a server does over and over. */
type Habit = (key: Key, count: number) => object;

const event = (type: string, key: Key, fields: object): object => ({
  type: `response.${type}`,
  item_id: key,
  output_index: key,
  ...fields,
});
const call = (key: Key, count: number, text: string): object => ({
  type: "function_call",
  id: key,
  call_id: key,
  name: `f${count}`,
  arguments: text,
});
const item = (key: Key, type: string): object => ({ type, id: key, content: [], summary: [] });

/** Longer than all else in an event: then what grows with the square shows. */
const WORDS = "word ".repeat(30);

const HABITS: Readonly<Record<string, Habit>> = {
  call: (key, count) => event("output_item.added", key, { item: call(key, count, "") }),
  "whole call": (key, count) =>
    event("output_item.done", key, { item: call(key, count, `{"a":${count}}`) }),
  "call that begins": (key) => event("output_item.added", key, { item: call(key, 0, '{"a":"') }),
  message: (key) => event("output_item.added", key, { item: item(key, "message") }),
  "end of a message": (key) => event("output_item.done", key, { item: item(key, "message") }),
  hosted: (key) => event("output_item.done", key, { item: item(key, "web_search_call") }),
  fragment: (key) => event("function_call_arguments.delta", key, { delta: WORDS }),
  digits: (key, count) => event("function_call_arguments.delta", key, { delta: `${count}` }),
  object: (key, count) => event("function_call_arguments.delta", key, { delta: { count } }),
  "whole arguments": (key, count) =>
    event("function_call_arguments.done", key, { arguments: `{"a":${count}}` }),
  "free input": (key) => event("custom_tool_call_input.delta", key, { delta: WORDS }),
  "whole input": (key, count) => event("custom_tool_call_input.done", key, { input: `${count}` }),
  text: (key) => event("output_text.delta", key, { delta: WORDS }),
  "texts in places": (key, count) =>
    event("output_text.delta", key, { delta: WORDS, content_index: count }),
  refusal: (key) => event("refusal.delta", key, { delta: WORDS }),
  reasoning: (key) => event("reasoning_text.delta", key, { delta: WORDS }),
  // It does not end the response: an event may follow that says why it failed.
  "failed response": (key) =>
    event("failed", undefined, { response: { output: [item(key, "message")] } }),
  progress: (key) => event("in_progress", key, {}),
};

const OPENINGS: readonly (readonly object[])[] = [
  [],
  [event("output_item.added", "same", { item: call("same", 0, "") })],
  [event("output_item.added", "same", { item: call("same", 0, '{"a":"') })],
  [event("output_item.done", "same", { item: call("same", 0, '{"a":1}') })],
  [event("output_item.added", "same", { item: item("same", "message") })],
];

interface Repeated {
  readonly name: string;
  readonly key: "none" | "same" | "other";
}

function bodyOf(opening: readonly object[], habits: readonly Repeated[], times: number): string {
  const events = opening.slice();
  for (let count = 0; count < times; count += 1) {
    for (const { name, key } of habits) {
      const named = { none: undefined, same: "same", other: `n${count}` }[key];
      events.push((HABITS[name] as Habit)(named, count));
    }
  }
  // All that came is looked for once more.
  const output = Array.from({ length: times }, (_, count) => call(`x${count}`, count, "{}"));
  return sse(...events, event("completed", undefined, { response: { output } }));
}

// Seen to fail with all that an item has so far measured with each delta in ItemDraft.addText.
test("Linear: responses", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          name: fc.constantFrom(...Object.keys(HABITS)),
          key: fc.constantFrom<Repeated["key"][]>("none", "same", "other"),
        }),
        { minLength: 1, maxLength: 3 },
      ),
      fc.constantFrom(...OPENINGS),
      (habits, opening) => {
        expectLinear((times) => bodyOf(opening, habits, times));
      },
    ),
    parameters(),
  );
});

// Seen to fail with the items that came before sorted by their types anew for each whole response.
test.each<[string, Habit]>([
  ["a message", HABITS["message"] as Habit],
  ["a call", HABITS["whole call"] as Habit],
])("Linear: a whole response with %s costs what it holds, whatever came before", (_, habit) => {
  const costBehind = (times: number): number => {
    const assembler = new ToolCallAssembler();
    for (let count = 0; count < times; count += 1) assembler.push(habit(`n${count}`, count));
    const { item: output } = habit("n3", 3) as { item: object };
    const failed = event("failed", undefined, { response: { output: [output] } });
    return charactersInspected(() => assembler.push(failed));
  };
  expect(costBehind(900)).toBe(costBehind(10));
});
