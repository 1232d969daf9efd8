import { expect, test } from "vitest";
import { chat } from "../../src/dialects/chat/reader.ts";
import { detectDialect } from "../../src/dialects/readers.ts";
import { messages } from "../../src/dialects/messages/reader.ts";

test.each([
  [{ choices: [] }, chat],
  [{ object: "chat.completion.chunk" }, chat],
  [{ type: "message_start" }, messages],
  [{ type: "ping" }, undefined],
  [{ error: "m" }, undefined],
])("detectDialect knows a payload by its shape: %j", (payload, dialect) => {
  expect(detectDialect(payload, undefined)).toBe(dialect);
});
