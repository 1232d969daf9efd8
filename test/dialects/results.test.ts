import { expect, test } from "vitest";
import { type ToolCall, toolResult } from "../../src/index.ts";

const callOf = (dialect: string): ToolCall =>
  ({ id: "call_1", dialect, name: "f", type: "function", status: "complete" }) as ToolCall;

test("toolResult answers in the dialect of the call, and rejects one that is unknown", () => {
  expect(toolResult(callOf("chat"), "21")).toEqual({
    role: "tool",
    tool_call_id: "call_1",
    name: "f",
    content: "21",
  });
  expect(toolResult(callOf("messages"), "21")).toEqual({
    type: "tool_result",
    tool_use_id: "call_1",
    content: "21",
  });
  expect(toolResult(callOf("responses"), "21")).toEqual({
    type: "function_call_output",
    call_id: "call_1",
    output: "21",
  });
  for (const name of ["other", "toString", "__proto__"]) {
    expect(() => toolResult(callOf(name), "21")).toThrow(
      new TypeError(`Cannot answer call: dialect "${name}" is unknown`),
    );
  }
});
