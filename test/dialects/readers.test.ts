import { expect, test } from "vitest";
import { chat } from "../../src/dialects/chat/reader.ts";
import { DeltaReader } from "../../src/dialects/delta-reader.ts";
import { READERS } from "../../src/dialects/readers.ts";
import { messages } from "../../src/dialects/messages/reader.ts";

test.each([
  [{ choices: [] }, chat],
  [{ object: "chat.completion.chunk" }, chat],
  [{ type: "message_start" }, messages],
  [{ type: "ping" }, undefined],
  [{ error: "m" }, undefined],
])("DeltaReader knows a payload by its shape: %j", (payload, dialect) => {
  const reader = new DeltaReader(READERS);
  reader.read(payload, undefined);
  expect(reader.dialect).toBe(dialect);
});
