import { expect, test } from "vitest";
import { writeMessagesResult } from "../../../src/dialects/messages/result.ts";
import { toolCall } from "../tool-call.ts";

const call = toolCall({ dialect: "messages" });

test("messages.writeResult says of a call that was not executed that it is an error", () => {
  const result = { type: "tool_result", tool_use_id: "call_1", content: "c" };
  expect(writeMessagesResult(call, "c")).toEqual(result);
  const error = { code: "truncated", message: "" } as const;
  expect(
    writeMessagesResult({ ...call, status: "incomplete", input: undefined, error }, "c"),
  ).toEqual({ ...result, is_error: true });
});
