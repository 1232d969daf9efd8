import type { ToolCall } from "../../src/index.ts";

/** A complete call, but for what `facts` say. */
export const toolCall = (facts: Partial<ToolCall>): ToolCall =>
  ({
    id: "call_1",
    providerId: "f:0",
    type: "function",
    name: "f",
    arguments: '{"x":1}',
    status: "complete",
    input: { x: 1 },
    error: undefined,
    choice: 0,
    index: 0,
    dialect: "chat",
    extra: undefined,
    ...facts,
  }) as ToolCall;
