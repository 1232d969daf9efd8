import { expect, test } from "vitest";
import { Call } from "../src/call.ts";
import { chat } from "../src/dialects/chat.ts";
import type { ToolCallType } from "../src/index.ts";

/** A call with this name and these fragments of its arguments. */
function callOf(name: string, fragments: string[], type: ToolCallType = "function"): Call {
  const call = new Call("call_1", chat, 0, 0);
  call.type = type;
  if (name !== "") call.addName(name);
  for (const fragment of fragments) call.append(fragment);
  return call;
}

const parse = (text: string): unknown => JSON.parse(text);

test.each([
  [["get"], "get"],
  [["get", "get"], "get"],
  [["get", "get_it"], "get_it"],
  [["get_", "it"], "get_it"],
])("Call makes its name of %j: %j", (names, name) => {
  const call = callOf("", []);
  for (const each of names) call.addName(each);
  expect(call.name).toBe(name);
});

test.each<[string, ToolCallType, string[], string[], string]>([
  ["an object", "function", ['{"x"', ":1}"], ['{"x"', ":1}"], ""],
  ["what follows an object", "function", ['{"x":1}</', "s>"], ['{"x":1}', ""], "</s>"],
  ["what follows a placeholder", "function", ["{}", '{"x"'], ["{}", ""], '{"x"'],
  ["free text", "custom", ["{}", " + 1"], ["{}", " + 1"], ""],
])("Call.append tells arguments from late text: %s", (_name, type, fragments, taken, late) => {
  const call = callOf("f", [], type);
  expect(fragments.map((fragment) => call.append(fragment))).toEqual(taken);
  expect(call.arguments).toBe(taken.join(""));
  expect(call.late.rest).toBe(late);
});

test.each<[string, Call, object]>([
  ["open", callOf("f", ['{"x"']), { isReady: false, isComplete: false, isPlaceholder: false }],
  ["closed", callOf("f", ["[1]"]), { isReady: true, isComplete: true, isPlaceholder: false }],
  ["nameless", callOf("", ["[1]"]), { isReady: false, isComplete: true, isPlaceholder: false }],
  ["held", callOf("f", ["{}"]), { isReady: false, isComplete: true, isPlaceholder: true }],
  ["a number", callOf("f", ["1"]), { isReady: false, isComplete: true, isPlaceholder: false }],
  [
    "free text",
    callOf("f", ["[1]"], "custom"),
    { isReady: false, isComplete: false, isPlaceholder: false },
  ],
])("Call knows whether it can come out: %s", (_name, call, expected) => {
  expect(call).toMatchObject(expected);
});

test.each<[string, string[], ToolCallType, boolean]>([
  ["a brace", ["{"], "function", false],
  ["a placeholder", ["{}"], "function", false],
  ["an object with content", ['{"'], "function", true],
  ["a scalar", ["1"], "function", true],
  ["free text", ["{"], "custom", true],
])("Call shows no fragment that may be a placeholder: %s", (_name, fragments, type, isShowable) => {
  const call = callOf("f", fragments, type);
  expect(call.isShowable).toBe(false);
  call.isStarted = true;
  expect(call.isShowable).toBe(isShowable);
});

test("Call.replacePlaceholder makes a held call ready, with the other arguments", () => {
  const call = callOf("f", ["{}"]);
  expect(call.value).toBe("{}");
  call.replacePlaceholder('{"x": 1}');
  expect(call).toMatchObject({
    arguments: '{"x": 1}',
    value: '{"x":1}',
    unshown: '{"x": 1}',
    isReady: true,
    isPlaceholder: false,
    isCorrected: true,
  });
});

test.each<[string, "normal" | "cut", Call, string, string | object]>([
  ["an object", "cut", callOf("f", ['{"x":1}']), '{"x":1}', { x: 1 }],
  ["an object in a string", "normal", callOf("f", ['"{\\"x\\":1}"']), '{"x":1}', { x: 1 }],
  [
    "a repeated object",
    "normal",
    callOf("f", ['{"x":1,', '{"x":1,"y":2}']),
    '{"x":1,"y":2}',
    { x: 1, y: 2 },
  ],
  ["nothing", "normal", callOf("f", []), "{}", {}],
  ["nothing", "cut", callOf("f", []), "", "truncated: the response was cut"],
  ["a placeholder", "normal", callOf("f", ["{}"]), "{}", {}],
  ["a placeholder", "cut", callOf("f", ["{}"]), "{}", "truncated: the response was cut"],
  [
    "a placeholder, then an object",
    "normal",
    callOf("f", ["{}", '{"x":']),
    '{"x":',
    "truncated: its arguments do not end",
  ],
  [
    "a placeholder, then junk",
    "normal",
    callOf("f", ["{}", "?{"]),
    "{}",
    "malformed: what follows its empty arguments cannot be read",
  ],
  ["no name", "normal", callOf("", ['{"x":1}']), '{"x":1}', "nameless: no name came"],
  ["free text", "normal", callOf("f", ["1 +"], "custom"), "1 +", "1 +"],
])("Call.settle with %s, at a %s end", (_name, end, call, text, expected) => {
  const { status, input, error } = call.settle(parse, end === "normal");
  expect(call).toMatchObject({ arguments: text, isSettled: true, isReady: false });
  if (status === "complete") expect(input).toEqual(expected);
  else
    expect(`${error.code}: ${error.message.replace(/^Cannot execute \w+: /, "")}`).toBe(expected);
});

test("Call.settle of a call that missed an event is damaged, whatever it holds", () => {
  const call = callOf("f", ['{"x":1}']);
  call.isDamaged = true;
  expect(call.isReady).toBe(false);
  expect(call.settle(parse, true)).toMatchObject({ error: { code: "damaged" } });
});

test("Call.settle gives a model no more than 1,000 characters of what a parser says", () => {
  const { error } = callOf("f", ["[1]"]).settle(() => {
    throw new Error("m".repeat(5000));
  }, true);
  expect(error).toEqual({
    code: "rejected",
    message: `Cannot execute f: ${"m".repeat(1000)}…`,
  });
});
