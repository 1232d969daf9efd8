import { expect, test } from "vitest";
import { type ToolCallRename, UniqueToolCallIdStream } from "../../src/index.ts";
import { sse } from "../bodies.ts";
import { calls, chunk, entry, finish } from "../chat-chunks.ts";
import { messageStart, toolStart } from "../messages-events.ts";
import { rewriteText } from "./rewriting.ts";

const OPENAI = "call_8s9dKfj20sKdjfEwoQ2kdjsl";
const OTHER = "call_Zq7LmN4pXv2TbKc9RwYh3GdF";
const MISTRAL = "aB3dE5gH7";
const SIGNED = `call_f0__thought__${"Q".repeat(6000)}`;

/** The ids of calls in a body, in order. */
function idsIn(body: string): string[] {
  return [...body.matchAll(/"(?:call_)?id":"([^"]*)"/g)].map(([, id = ""]) => id);
}

const one = (id: string): object => calls(entry(0, id, "f", "{}"));
const two = (first: string, second: string): object =>
  calls(entry(0, first, "f", "{}"), entry(1, second, "g", "{}"));
const detail = (id: string): object =>
  chunk({ reasoning_details: [{ type: "reasoning.encrypted", id }] });
const item = (callId: string, id = "i"): object => ({
  type: "function_call",
  id,
  call_id: callId,
  name: "f",
  arguments: "{}",
});
const done = (callId: string): object => ({
  type: "response.output_item.done",
  output_index: 0,
  item: item(callId),
});
const completed = (callId: string): object => ({
  type: "response.completed",
  response: { output: [item(callId)], status: "completed" },
});

test.each<[string, object[], string[]]>([
  ["a random id", [one(OPENAI)], [OPENAI]],
  ["a random id that comes again in another call", [two(OPENAI, OPENAI)], [OPENAI, "fresh-1"]],
  [
    "a random id that another call had later",
    [one(OPENAI), calls(entry(0, OTHER, undefined)), calls(entry(1, OTHER, "g", "{}"))],
    [OPENAI, OPENAI, "fresh-1"],
  ],
  ["an id with a signature", [one(SIGNED)], [SIGNED]],
  ["an id with a signature, twice", [two(SIGNED, SIGNED)], [SIGNED, "fresh-1"]],
  ["a detail that signs a call to come", [detail(OPENAI), one(OPENAI)], [OPENAI, OPENAI]],
  [
    "a random id in messages",
    [messageStart(), toolStart(0, "f", { id: OPENAI })],
    ["msg_1", OPENAI],
  ],
  [
    "the first id, where the closing event has another",
    [done(OPENAI), completed(OTHER)],
    ["i", OPENAI, "i", OPENAI],
  ],
  [
    "a call of a hosted shell and its output",
    [
      { type: "response.output_item.done", item: { type: "shell_call", id: "i", call_id: OPENAI } },
      { type: "response.output_item.done", item: { type: "shell_call_output", call_id: OPENAI } },
    ],
    ["i", OPENAI, OPENAI],
  ],
])("what stays, and what does not: %s", (_name, events, ids) => {
  expect(idsIn(rewriteText(sse(...events)))).toEqual(ids);
});

test("an id that stays is not written anew, however it is escaped", () => {
  const body = sse(one(OPENAI)).replace('"call_', String.raw`"\u0063all_`);
  expect(rewriteText(body)).toBe(body);
  const twice = sse(one(OPENAI)).replace(`"id":"${OPENAI}"`, `"id":"x","id":"${OPENAI}"`);
  expect(rewriteText(twice)).toBe(twice.replace('"x"', `"${OPENAI}"`));
});

test("an id that the history has does not stay", () => {
  expect(idsIn(rewriteText(sse(one(OPENAI)), { usedIds: [OPENAI] }))).toEqual(["fresh-1"]);
  expect(idsIn(rewriteText(sse(one(OPENAI)), { usedIds: new Set([OTHER]) }))).toEqual([OPENAI]);
  expect(idsIn(rewriteText(sse(one(SIGNED)), { usedIds: [SIGNED] }))).toEqual(["fresh-1"]);
});

test("a fresh id is none that the history has", () => {
  const generated = ["a", "b"];
  const generateId = (): string => generated.shift() ?? "";
  expect(() => rewriteText(sse(one("f:0")), { usedIds: ["a"], generateId })).toThrow(TypeError);
  expect(idsIn(rewriteText(sse(one("f:0")), { usedIds: ["a"], generateId }))).toEqual(["b"]);
});

test("nine characters are replaced by nine, unless generateId decides", () => {
  const generateId = undefined;
  const [kept, fresh = ""] = idsIn(rewriteText(sse(two(MISTRAL, MISTRAL)), { generateId }));
  expect(kept).toBe(MISTRAL);
  expect(fresh).toMatch(/^[0-9A-Za-z]{9}$/);
  expect(idsIn(rewriteText(sse(one("123456789")), { generateId }))[0]).toMatch(/^[0-9A-Za-z]{9}$/);
  expect(idsIn(rewriteText(sse(two(MISTRAL, MISTRAL))))).toEqual([MISTRAL, "fresh-1"]);
});

test("onRename sees only calls whose id is changed or added", () => {
  const renames: ToolCallRename[] = [];
  const onRename = (rename: ToolCallRename): void => void renames.push(rename);
  const body = sse(
    two(OPENAI, "g:0"),
    calls({ index: 2, function: { name: "h" } }),
    finish("stop"),
  );
  rewriteText(body, { onRename });
  expect(renames).toEqual([
    { id: "fresh-1", providerId: "g:0" },
    { id: "fresh-2", providerId: undefined },
  ]);
});

test("onRename sees the id that a call with a kept one has in the end", () => {
  const renames: ToolCallRename[] = [];
  const onRename = (rename: ToolCallRename): void => void renames.push(rename);
  rewriteText(sse(done(OPENAI), completed(OTHER), completed(OTHER)), { onRename });
  expect(renames).toEqual([{ id: OPENAI, providerId: OTHER }]);
});

test("usedIds is a list of ids", () => {
  // @ts-expect-error -- that is the point
  expect(() => new UniqueToolCallIdStream({ usedIds: 1 })).toThrow(TypeError);
  // A text is a list of characters, which nobody means.
  expect(() => new UniqueToolCallIdStream({ usedIds: "call_1" })).toThrow(TypeError);
});
