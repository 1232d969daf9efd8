import { expect, test } from "vitest";
import { objectOr } from "../../../src/dialects/fields.ts";
import { messagesHistory, writeMessages } from "../../../src/dialects/messages/history.ts";

const history = {
  role: "user",
  content: [
    { type: "tool_result", tool_use_id: "a", content: "c" },
    { type: "text", text: "t" },
    { type: "tool_use", id: "b", name: "f", input: {}, caller: { tool_id: "s" } },
    { type: "server_tool_use", id: "s", name: "search", input: {} },
    { type: "web_search_tool_result", tool_use_id: "s", content: [] },
    "text",
    { type: "tool_use" },
  ],
};

test("messages.readReferences gives calls and results, not those of server tools", () => {
  const [result, , use, , , , unnamed] = history.content;
  expect(messagesHistory.readReferences(history)).toEqual([
    { type: "result", id: "a", name: undefined, holder: result, field: "tool_use_id" },
    { type: "call", id: "b", name: "f", holder: use, field: "id" },
    { type: "call", id: "", name: undefined, holder: unnamed, field: "id" },
  ]);
  expect(messagesHistory.readReferences({ role: "user", content: "text" })).toEqual([]);
});

test("writeMessages changes nothing but calls and results", () => {
  const before = structuredClone(history);
  const [result, note, use, ...others] = history.content;
  const written = writeMessages(history, [
    { ...objectOr(result), tool_use_id: "x" },
    { ...objectOr(use), id: "y" },
    { type: "tool_use", id: "z" },
  ]);
  expect(written).toEqual({
    role: "user",
    content: [
      Object.assign({}, result, { tool_use_id: "x" }),
      note,
      Object.assign({}, use, { id: "y" }),
      ...others.slice(0, -1),
      { type: "tool_use", id: "z" },
    ],
  });
  expect(history).toEqual(before);
});

test("writeMessages takes calls and results away", () => {
  const [, note, , search, found, text] = history.content;
  expect(writeMessages(history, [])).toEqual({
    role: "user",
    content: [note, search, found, text],
  });
});
