import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ToolCallAssembler, ToolCallStream, ToolCallStreamError } from "../src/index.ts";
import { bodyOf, readAll } from "../test/bodies.ts";
import { encoders } from "./encoders.ts";
import { cutBytes, cutsArbitrary } from "./cuts.ts";
import { mutated, mutationsArbitrary } from "./mutations.ts";
import { scenarioWith } from "./quirks.ts";
import { bytesOf } from "./reading.ts";
import { parameters } from "./setup.ts";

/** The names of fields that mean something, with values that they may or may not have. */
const FIELDS = [
  "choices",
  "delta",
  "message",
  "index",
  "tool_calls",
  "function_call",
  "function",
  "custom",
  "name",
  "arguments",
  "input",
  "id",
  "type",
  "finish_reason",
  "content",
  "reasoning",
  "usage",
  "error",
  "object",
  "extra_content",
  "__proto__",
  "constructor",
];
const VALUES = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  "",
  "stop",
  "custom",
  "{}",
  '{"a":',
  '{"a":1}',
  '"{}"',
  "1",
  "chat.completion",
  "error",
  "data: {}",
  "__proto__",
  "\uD800",
];

/** What is no JSON, yet may be given to those who take parsed values. */
const CYCLE: Record<string, unknown> = {};
CYCLE["function"] = CYCLE;
const FOREIGN_VALUES = [1n, Symbol("name"), undefined, Number.NaN, Number, new Date(0), CYCLE];

const EVENT_KINDS = [
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message",
];

const ITEM_KINDS = [
  "response.output_item.added",
  "response.output_item.done",
  "response.function_call_arguments.delta",
  "response.function_call_arguments.done",
  "response.custom_tool_call_input.delta",
  "response.custom_tool_call_input.done",
  "response.output_text.delta",
  "response.refusal.delta",
  "response.reasoning_summary_text.delta",
  "response.completed",
  "response.incomplete",
  "response.failed",
];

interface Payloads {
  /** Of no shape, but with the right names here and there. */
  readonly value: fc.Arbitrary<unknown>;
  /** A chunk, so that the nonsense gets to where it is read. */
  readonly chunk: fc.Arbitrary<unknown>;
  /** The same for an event of the messages dialect. */
  readonly event: fc.Arbitrary<unknown>;
  /** And of the responses dialect. */
  readonly itemEvent: fc.Arbitrary<unknown>;
}

function payloadsOf(values: readonly unknown[]): Payloads {
  const { value, object } = fc.letrec<{ value: unknown; object: object; list: unknown[] }>(
    (tie) => ({
      value: fc.oneof({ maxDepth: 7 }, fc.constantFrom(...values), tie("object"), tie("list")),
      object: fc
        .array(fc.tuple(fc.constantFrom(...FIELDS), tie("value")), { maxLength: 4 })
        .map((entries) => Object.fromEntries(entries)),
      list: fc.array(tie("value"), { maxLength: 3 }),
    }),
  );
  const call = fc.record({
    index: fc.oneof(fc.constantFrom<unknown>(0, 1, "0"), value),
    id: value,
    function: fc.oneof(fc.record({ name: value, arguments: value }), value),
    extra: value,
  });
  const delta = fc.record({
    tool_calls: fc.oneof(fc.array(fc.oneof(call, object), { maxLength: 3 }), value),
    content: value,
  });
  const choice = fc.record({
    index: fc.oneof(fc.constant(0), value),
    delta: fc.oneof(delta, value),
    finish_reason: value,
  });
  const choices = fc.array(fc.oneof({ arbitrary: choice, weight: 7 }, value), { maxLength: 2 });
  const block = fc.record({
    type: fc.oneof(fc.constantFrom<unknown>("tool_use", "server_tool_use", "text", "x"), value),
    id: value,
    name: value,
    input: value,
    text: value,
    citations: value,
  });
  const blockDelta = fc.record({
    type: fc.oneof(
      fc.constantFrom<unknown>("input_json_delta", "text_delta", "citations_delta", "x_delta"),
      value,
    ),
    text: value,
    partial_json: value,
    citation: value,
  });
  const event = fc.record({
    type: fc.constantFrom(...EVENT_KINDS),
    index: fc.oneof(fc.constantFrom<unknown>(0, 1, "0"), value),
    content_block: fc.oneof(block, value),
    delta: fc.oneof(blockDelta, fc.record({ stop_reason: value }), value),
    message: fc.oneof(
      fc.record({ id: value, content: fc.array(fc.oneof(block, value), { maxLength: 2 }) }),
      value,
    ),
    content: fc.oneof(fc.array(block, { maxLength: 2 }), value),
    usage: value,
  });
  const itemId = fc.oneof(fc.constantFrom<unknown>("a", "b", undefined), value);
  const outputIndex = fc.oneof(fc.constantFrom<unknown>(0, 1, undefined), value);
  const item = fc.record({
    type: fc.oneof(
      fc.constantFrom<unknown>("function_call", "custom_tool_call", "message", "reasoning", "x"),
      value,
    ),
    id: itemId,
    call_id: itemId,
    name: value,
    arguments: value,
    input: value,
    content: fc.oneof(fc.array(fc.record({ type: value, text: value }), { maxLength: 2 }), value),
    summary: value,
  });
  const itemEvent = fc.record({
    type: fc.constantFrom(...ITEM_KINDS),
    item_id: itemId,
    output_index: outputIndex,
    item: fc.oneof(item, value),
    delta: value,
    arguments: value,
    input: value,
    name: value,
    response: fc.oneof(
      fc.record({
        output: fc.array(fc.oneof(item, value), { maxLength: 3 }),
        status: value,
        error: value,
      }),
      value,
    ),
  });
  return { value, chunk: fc.record({ choices }), event, itemEvent };
}

const json = payloadsOf(VALUES);
const anything = payloadsOf([...VALUES, ...FOREIGN_VALUES]);

const bodyArbitrary: fc.Arbitrary<Uint8Array> = fc.oneof(
  fc.uint8Array({ maxLength: 60 }),
  fc
    .tuple(fc.constantFrom(...encoders), scenarioWith(), mutationsArbitrary)
    .map(([encoder, scenario, mutations]) => {
      const { turn, quirks } = encoder.fitted(scenario);
      return mutated(bytesOf(encoder.encode(turn, quirks)), mutations);
    }),
  fc
    .oneof(
      fc.array(fc.oneof(json.chunk, json.value), { maxLength: 4 }),
      fc.array(fc.oneof(json.event, json.value), { maxLength: 6 }),
      fc.array(fc.oneof(json.itemEvent, json.value), { maxLength: 6 }),
    )
    .map((payloads) =>
      bytesOf(payloads.map((payload) => `data: ${JSON.stringify(payload)}\n\n`).join("")),
    ),
);

// Seen to fail with `if (!isObject(value)) return` left out of Turn.#readJson.
test("Arbitrary bytes end, or raise a ToolCallStreamError", async () => {
  await fc.assert(
    fc.asyncProperty(bodyArbitrary, cutsArbitrary, async (bytes, cuts) => {
      const stream = new ToolCallStream();
      const { values, error } = await readAll(bodyOf(cutBytes(bytes, cuts)).pipeThrough(stream));
      expect(error === undefined || error instanceof ToolCallStreamError).toBe(true);
      const completion = stream.snapshot();
      expect(completion.toolCalls).toEqual(values);
      // What goes back to a server, or to a worker, can.
      expect(() => structuredClone(completion)).not.toThrow();
      expect(() => JSON.stringify(completion)).not.toThrow();
      for (const call of values) {
        if (call.status === "complete" && call.type === "function") JSON.parse(call.arguments);
      }
    }),
    parameters(),
  );
});

// Seen to fail with JSON.stringify for `jsonText` in `argumentText` of the chat dialect.
test("Arbitrary values end, or give an error event", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.array(fc.oneof(anything.chunk, anything.value, fc.anything()), { maxLength: 4 }),
        fc.array(fc.oneof(anything.event, anything.itemEvent, anything.value, fc.anything()), {
          maxLength: 6,
        }),
      ),
      (values) => {
        const assembler = new ToolCallAssembler();
        const events = values.flatMap((value) => assembler.push(value).slice());
        events.push(...assembler.end());
        assembler.snapshot();
        const errors = events.filter(({ type }) => type === "error");
        expect(errors.length).toBeLessThanOrEqual(1);
        for (const event of errors) {
          if (event.type === "error") expect(event.error).toBeInstanceOf(ToolCallStreamError);
        }
      },
    ),
    parameters(),
  );
});
