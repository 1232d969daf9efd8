import { expect, test } from "vitest";
import { chatHistory } from "../../src/dialects/chat/reader.ts";
import { historyDialectOf } from "../../src/dialects/history-dialect.ts";
import { messagesHistory } from "../../src/dialects/messages/reader.ts";
import { responsesHistory } from "../../src/dialects/responses/reader.ts";

test("historyDialectOf gives the dialect of a name, and rejects one that is unknown", () => {
  expect(historyDialectOf("chat")).toBe(chatHistory);
  expect(historyDialectOf("messages")).toBe(messagesHistory);
  expect(historyDialectOf("responses")).toBe(responsesHistory);
  expect(() => historyDialectOf("other" as "chat")).toThrow(
    new TypeError('Cannot answer call: dialect "other" is unknown'),
  );
});
