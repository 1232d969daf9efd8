import { expect, test } from "vitest";
import { findPairingFaults, kimiK2ToolCallIds, mapToolCallIds } from "../../../src/index.ts";
import { called, type Fields } from "./events.ts";

const outputOf = (id: string): Fields => ({
  type: "function_call_output",
  call_id: `call_${id}`,
  output: "",
});

const history = [
  { role: "user", content: "Hi" },
  { type: "reasoning", summary: [], encrypted_content: "x" },
  called("a", "f", "{}"),
  { type: "reasoning", summary: [], encrypted_content: "y" },
  { type: "custom_tool_call", call_id: "call_b", name: "g", input: "" },
  { type: "custom_tool_call_output", call_id: "call_b", output: "" },
  outputOf("a"),
  called("a", "f", "{}"),
  outputOf("a"),
];

test("each call and each result is an item of its own", () => {
  expect(findPairingFaults(history)).toEqual([{ code: "repeated-id", id: "call_a", position: 7 }]);
  expect(findPairingFaults([called("a", "f", "{}"), outputOf("b")])).toEqual([
    { code: "missing-result", id: "call_a", position: 0 },
    { code: "orphan-result", id: "call_b", position: 1 },
  ]);
  const late = [
    called("a", "f", "{}"),
    called("b", "f", "{}"),
    outputOf("b"),
    history[0],
    outputOf("a"),
  ];
  expect(findPairingFaults(late)).toEqual([
    { code: "misplaced-result", id: "call_a", position: 4 },
  ]);
});

test("ids are renamed, calls and results alike, and nothing else", () => {
  const renamed = kimiK2ToolCallIds(history);
  expect(renamed.map((item) => ("call_id" in item ? item["call_id"] : undefined))).toEqual([
    undefined,
    undefined,
    "functions.f:0",
    undefined,
    "functions.g:1",
    "functions.g:1",
    "functions.f:0",
    "functions.f:2",
    "functions.f:2",
  ]);
  expect(findPairingFaults(renamed)).toEqual([]);
  expect(mapToolCallIds(history, ({ id }) => id)).toEqual(history);
});
