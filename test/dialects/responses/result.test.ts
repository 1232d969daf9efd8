import { expect, test } from "vitest";
import { type ToolCall, toolResult } from "../../../src/index.ts";

const callOf = (fields: object): ToolCall =>
  ({ id: "call_1", name: "f", dialect: "responses", type: "function", ...fields }) as ToolCall;

test("a result is an item", () => {
  expect(toolResult(callOf({}), { a: 1 })).toEqual({
    type: "function_call_output",
    call_id: "call_1",
    output: '{"a":1}',
  });
  expect(toolResult(callOf({ type: "custom" }), "x")).toEqual({
    type: "custom_tool_call_output",
    call_id: "call_1",
    output: "x",
  });
});
