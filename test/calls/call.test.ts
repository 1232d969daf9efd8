import { expect, test } from "vitest";
import { Call } from "../../src/calls/call.ts";
import { chat } from "../../src/dialects/chat/reader.ts";
import type { ResponseDialect } from "../../src/dialects/dialect.ts";
import { responses } from "../../src/dialects/responses/reader.ts";
import type { ToolCallType } from "../../src/index.ts";

/** A call with this name and these fragments of its arguments. */
function callOf(name: string, fragments: string[], type: ToolCallType = "function"): Call {
  const call = new Call("call_1", chat, 0, 0);
  if (type === "custom") call.learn({ isCustom: true });
  if (name !== "") call.learn({ name });
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
  for (const each of names) call.learn({ name: each });
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
  ["open", callOf("f", ['{"x"']), { isReady: false, hasWholeText: false, isHeld: false }],
  ["closed", callOf("f", ["[1]"]), { isReady: true, hasWholeText: true, isHeld: false }],
  ["nameless", callOf("", ["[1]"]), { isReady: false, hasWholeText: true, isHeld: false }],
  ["held", callOf("f", ["{}"]), { isReady: false, hasWholeText: true, isHeld: true }],
  ["a number", callOf("f", ["1"]), { isReady: false, hasWholeText: true, isHeld: false }],
  [
    "free text",
    callOf("f", ["[1]"], "custom"),
    { isReady: false, hasWholeText: false, isHeld: false },
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
  expect(call.show("")).toBe("");
  call.start();
  expect(call.show("")).toBe(isShowable ? call.arguments : "");
});

test("Call.replacePlaceholder makes a held call ready, with the other arguments", () => {
  const call = callOf("f", ["{}"]);
  expect(call.value).toBe("{}");
  call.replacePlaceholder('{"x": 1}');
  expect(call).toMatchObject({
    arguments: '{"x": 1}',
    value: '{"x":1}',
    isReady: true,
    isHeld: false,
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
  call.damage();
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

test.each<[string, Call, string, string | undefined]>([
  ["all, where nothing came", callOf("f", []), '{"x":1}', '{"x":1}'],
  ["all, whatever it is, where nothing came", callOf("f", []), "ls", "ls"],
  ["what pieces have left out", callOf("f", ['{"x"', ":"]), '{"x":1}', "1}"],
  ["nothing, where pieces have brought it all", callOf("f", ["1"]), "1", ""],
  ["nothing, where it is empty", callOf("f", ['{"x"']), "", ""],
  ["nothing, where it is a placeholder", callOf("f", ['{"x"']), "{}", ""],
  ["nothing, where it is shorter and no JSON", callOf("f", ['{"x"']), '{"', ""],
  ["nothing, where it is longer and no JSON", callOf("f", ['{"x"']), "{'x':1}", ""],
  ["nothing to a value that has closed", callOf("f", ['{"x":1}']), ' { "x": 1 } ', ""],
  ["nothing to a value that has closed, as a placeholder", callOf("f", ["[1]"]), "{}", ""],
  ["what is no value where one has closed", callOf("f", ['{"x":1}']), '{"x":', undefined],
  ["what free text has left out", callOf("f", ["a"], "custom"), "ab", "b"],
])("Call.restOf gives %s", (_name, call, text, rest) => {
  expect(call.restOf(text)).toBe(rest);
  expect(call.isCorrected).toBe(false);
});

test.each<[string, Call, string]>([
  ["unfinished pieces", callOf("f", ['{"x":']), '{"y":1}'],
  ["longer unfinished pieces", callOf("f", ['{"x":"long', "er"]), '{"y":1}'],
  ["pieces that are broken", callOf("f", ["{x"]), '{"x":1}'],
  ["a placeholder", callOf("f", ["{}"]), '{"x":1}'],
  ["a placeholder and what began behind it", callOf("f", ["{}", '{"x":']), '{"x":1}'],
  ["a scalar", callOf("f", ["1"]), '{"x":1}'],
  ["a value that has closed, while the call is not out", callOf("f", ['{"x":1}']), '{"x":2}'],
  ["free text", callOf("f", ["ab"], "custom"), "b"],
])("Call.restOf lets the whole replace %s", (_name, call, text) => {
  const rest = call.restOf(text);
  expect(rest).toBe(text);
  call.append(text);
  expect(call).toMatchObject({ arguments: text, isCorrected: true });
  expect(call.late.rest).toBe("");
});

test("Call.restOf of a call that is out says whether it is what came out", () => {
  const call = callOf("f", []);
  call.settle(parse, true);
  expect(call.restOf("{}")).toBe("");
  expect(call.restOf('{"x":1}')).toBeUndefined();
  const custom = callOf("f", ["a"], "custom");
  custom.settle(parse, true);
  expect(custom.restOf("a")).toBe("");
  expect(custom.restOf("b")).toBeUndefined();
});

const nameless = (fragments: string[], dialect: ResponseDialect): Call => {
  const call = new Call("call_1", dialect, 0, 0);
  for (const fragment of fragments) call.append(fragment);
  return call;
};

test.each<[string, ResponseDialect, string[], boolean]>([
  ["nothing behind them", responses, ['{"x":1}'], false],
  ["white space", responses, ['{"x":1}', " \n"], false],
  ["a repeat", responses, ['{"x":1}', ' { "x": 1 }'], false],
  ["a further call", chat, ['{"x":1}', '{"x":2}'], false],
  ["another object, where none is a further call", responses, ['{"x":1}', '{"x":2}'], true],
  ["the rest of what they stood in", responses, ['{"x":1}', ',"y":2}'], true],
  ["a beginning that is not known yet", chat, ['{"x":1}', '{"x"'], true],
  ["a token", chat, ['{"x":1}', "</s>"], true],
  ["a token, behind a placeholder", chat, ["{}", "</s>"], true],
])(
  "arguments that closed before the name came are tainted by what they have behind them: %s",
  (_name, dialect, fragments, isTainted) => {
    const call = nameless(fragments, dialect);
    expect(call.isTainted).toBe(false);
    call.learn({ name: "f" });
    expect(call).toMatchObject({ isTainted, isReady: !isTainted && fragments[0] !== "{}" });
    if (isTainted) {
      expect(call.settle(parse, true)).toMatchObject({ error: { code: "damaged" } });
    }
  },
);

test("a text that is said to be all of the arguments makes up for what tainted them", () => {
  const other = nameless(['{"x":1}', ',"y":2}'], responses);
  other.learn({ name: "f" });
  expect(other.restOf('{"z":{"x":1},"y":2}')).toBe('{"z":{"x":1},"y":2}');
  expect(other.isTainted).toBe(false);
  const same = nameless(['{"x":1}', ',"y":2}'], responses);
  same.learn({ name: "f" });
  expect(same.restOf('{ "x": 1 }')).toBe("");
  expect(same.isReady).toBe(true);
  const broken = nameless(['{"x":1}', ',"y":2}'], responses);
  expect(broken.restOf('{"x":')).toBeUndefined();
});

test("Call.lacksEnd where a normal end is all that is missing", () => {
  expect(callOf("f", ["{}"]).lacksEnd).toBe(true);
  expect(callOf("f", []).lacksEnd).toBe(true);
  expect(callOf("f", ["1"], "custom").lacksEnd).toBe(true);
  expect(callOf("", ["{}"]).lacksEnd).toBe(false);
  expect(callOf("f", ['{"x"']).lacksEnd).toBe(false);
  expect(callOf("f", ['{"x":1}']).lacksEnd).toBe(false);
});

test("Call.learn counts what is new: unknown fields come again with every fragment", () => {
  const call = callOf("", []);
  expect(call.learn({ name: "f", extra: { a: 1 } })).toBe("f".length + "a1".length);
  expect(call.learn({ name: "f", extra: { a: 1 } })).toBe(0);
  expect(call.learn({ extra: { a: 2 } })).toBe("a2".length);
  expect(call.extra).toEqual({ a: 2 });
});
