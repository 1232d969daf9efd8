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

test("messages.openReader reads calls only", () => {
  const reader = messages.openReader();
  const read = (payload: object) => reader.read({ ...payload }, undefined);
  const type = "content_block_delta";
  expect(read({ type: "content_block_start", content_block: { type: "text" } })).toEqual([]);
  expect(read({ type, delta: { type: "text_delta", text: "a" } })).toEqual([]);
  expect(read({ type, delta: { type: "citations_delta", citation: {} } })).toEqual([]);
  expect(read({ type, delta: { type: "input_json_delta", partial_json: "{}" } })).toEqual([]);
  expect(read({ type: "message_delta", delta: { stop_reason: "end_turn" } })).toEqual([]);
});
