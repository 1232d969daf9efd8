import { expect, test } from "vitest";
import { chat } from "../../src/dialects/chat.ts";
import { detectDialect, dialectOf } from "../../src/dialects/dialect.ts";
import { messages } from "../../src/dialects/messages.ts";

test.each([
  [{ choices: [] }, chat],
  [{ object: "chat.completion.chunk" }, chat],
  [{ type: "message_start" }, messages],
  [{ type: "ping" }, undefined],
  [{ error: "m" }, undefined],
])("detectDialect knows a payload by its shape: %j", (payload, dialect) => {
  expect(detectDialect(payload, undefined)).toBe(dialect);
});

test("dialectOf gives the dialect of a name, and rejects one that is unknown", () => {
  expect(dialectOf("chat")).toBe(chat);
  expect(dialectOf("messages")).toBe(messages);
  expect(() => dialectOf("other" as "chat")).toThrow(
    new TypeError('Cannot answer call: dialect "other" is unknown'),
  );
});
