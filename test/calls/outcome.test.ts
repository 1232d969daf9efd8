import { expect, test } from "vitest";
import { ArgumentText } from "../../src/calls/argument-text.ts";
import { LateText } from "../../src/calls/late-text.ts";
import { type CallFacts, isFinal, isHeld, outcomeOf } from "../../src/calls/outcome.ts";
import { parseJson } from "../../src/options.ts";

interface Plain extends Partial<Omit<CallFacts, "text" | "late">> {
  /** The fragments of the arguments. */
  readonly text?: readonly string[];
  /** What came behind them. */
  readonly late?: string;
}

/** The facts of a call named `f` of which nothing else is known. */
function factsOf({ text: fragments = [], late: behind = "", ...facts }: Plain): CallFacts {
  const text = new ArgumentText();
  for (const fragment of fragments) {
    if (facts.isCustom === true) text.appendFree(fragment);
    else text.append(fragment);
  }
  const late = new LateText();
  late.append(behind);
  return {
    name: "f",
    isCustom: false,
    isDamaged: false,
    isClosed: false,
    replacement: undefined,
    isContradicted: false,
    isTainted: false,
    ...facts,
    text,
    late,
  };
}

test.each<[string, Plain, { final: boolean; held: boolean }]>([
  ["nothing", {}, { final: false, held: false }],
  ["nothing, closed", { isClosed: true }, { final: true, held: false }],
  ["an object", { text: ['{"x":', "1}"] }, { final: true, held: false }],
  ["an object that is open", { text: ['{"x":'] }, { final: false, held: false }],
  [
    "an object that is open, closed",
    { text: ['{"x":'], isClosed: true },
    { final: true, held: false },
  ],
  ["{}", { text: ["{}"] }, { final: false, held: true }],
  ["[]", { text: ["[]"] }, { final: false, held: true }],
  ["{}, closed", { text: ["{}"], isClosed: true }, { final: true, held: true }],
  ["{}, replaced", { text: ["{}"], replacement: '{"x":1}' }, { final: true, held: false }],
  ["a scalar", { text: ["12"] }, { final: false, held: false }],
  ["a scalar, closed", { text: ["12"], isClosed: true }, { final: true, held: false }],
  ["free text", { text: ["{}"], isCustom: true }, { final: false, held: false }],
  [
    "free text, closed",
    { text: ["{}"], isCustom: true, isClosed: true },
    { final: true, held: false },
  ],
  // Whether it has a name, and missed something, is for others to ask.
  ["an object without a name", { name: "", text: ["[1]"] }, { final: true, held: false }],
  ["an object, damaged", { isDamaged: true, text: ["[1]"] }, { final: true, held: false }],
])("isFinal and isHeld of %s", (_name, plain, { final, held }) => {
  const facts = factsOf(plain);
  expect(isFinal(facts)).toBe(final);
  expect(isHeld(facts)).toBe(held);
});

/** What comes of the facts: arguments, and the input in a list, or why there is none. */
function resultOf(plain: Plain, isNormalEnd: boolean): [string, [unknown] | string] {
  const outcome = outcomeOf(factsOf(plain), isNormalEnd, parseJson);
  const { error } = outcome;
  if (error === undefined) return [outcome.arguments, [outcome.input]];
  const [, reason = error.message] = /^Cannot execute (?:f|call): (.*)$/s.exec(error.message) ?? [];
  return [outcome.arguments, `${error.code}: ${reason}`];
}

const CUT = "truncated: the response was cut";
const UNREADABLE = "malformed: what follows its empty arguments cannot be read";

test.each<[string, Plain, atCut: [string, [unknown] | string]]>([
  ["an object", { text: ['{"x":1}'] }, ['{"x":1}', [{ x: 1 }]]],
  ["an object in pieces", { text: ['{"x"', ":1}"] }, ['{"x":1}', [{ x: 1 }]]],
  ["{}, replaced", { text: ["{}"], replacement: '{"x":1}' }, ['{"x":1}', [{ x: 1 }]]],
  ["nothing, closed", { isClosed: true }, ["{}", [{}]]],
  ["white space, closed", { text: [" \n"], isClosed: true }, ["{}", [{}]]],
  ["{}, closed", { text: ["{}"], isClosed: true }, ["{}", [{}]]],
  ["[], closed", { text: ["[]"], isClosed: true }, ["[]", [[]]]],
  ["a scalar, closed", { text: ["1", "2"], isClosed: true }, ["12", [12]]],
  ["free text, closed", { text: ["1 +"], isCustom: true, isClosed: true }, ["1 +", ["1 +"]]],
  ["no free text, closed", { isCustom: true, isClosed: true }, ["", [""]]],
  ["an object in a string, closed", { text: ['"{}"'], isClosed: true }, ["{}", [{}]]],
  [
    "an object that came again, closed",
    { text: ['{"x":1,', '{"x":1,"y":2}'], isClosed: true },
    ['{"x":1,"y":2}', [{ x: 1, y: 2 }]],
  ],
  ["an object, damaged", { text: ["[1]"], isDamaged: true }, ["[1]", "damaged: an event was lost"]],
  [
    "an object without a name, damaged",
    { name: "", text: ["[1]"], isDamaged: true },
    ["[1]", "damaged: an event was lost"],
  ],
])("outcomeOf is the same at every end for %s", (_name, plain, result) => {
  expect(resultOf(plain, false)).toEqual(result);
  expect(resultOf(plain, true)).toEqual(result);
});

test.each<[string, Plain, sent: string, given: string, atNormalEnd: [unknown] | string]>([
  ["nothing", {}, "", "{}", [{}]],
  ["white space", { text: [" "] }, " ", "{}", [{}]],
  ["{}", { text: ["{}"] }, "{}", "{}", [{}]],
  ["a scalar", { text: ["12"] }, "12", "12", [12]],
  ["free text", { text: ["1 +"], isCustom: true }, "1 +", "1 +", ["1 +"]],
  ["an object in a string", { text: ['"{}"'] }, '"{}"', "{}", [{}]],
  ["an object without a name", { name: "", text: ["[1]"] }, "[1]", "[1]", "nameless: no name came"],
  [
    "{} and an object that is open",
    { text: ["{}"], late: '{"x":' },
    "{}",
    '{"x":',
    "truncated: its arguments do not end",
  ],
  ["{} and an object that is broken", { text: ["{}"], late: "{x" }, "{}", "{}", UNREADABLE],
  ["{} and junk that has a brace", { text: ["{}"], late: "?{" }, "{}", "{}", UNREADABLE],
  ["{} and junk", { text: ["{}"], late: "</s>" }, "{}", "{}", [{}]],
  ["{}, contradicted", { text: ["{}"], isContradicted: true }, "{}", "{}", UNREADABLE],
])(
  "outcomeOf is incomplete at a cut, and judges at a normal end, %s",
  (_name, plain, sent, given, atNormalEnd) => {
    expect(resultOf(plain, false)).toEqual([sent, CUT]);
    expect(resultOf(plain, true)).toEqual([given, atNormalEnd]);
  },
);

test.each<[string, Plain, string]>([
  ["text that is cut", { text: ['{"x":'] }, "truncated"],
  ["text that is broken", { text: ["{x"] }, "malformed"],
])("outcomeOf names what the parser refuses: %s", (_name, plain, code) => {
  const [sent] = plain.text ?? [];
  for (const [facts, isNormalEnd] of [
    [plain, true],
    [{ ...plain, isClosed: true }, true],
    [{ ...plain, isClosed: true }, false],
  ] as const) {
    const [given, reason] = resultOf(facts, isNormalEnd);
    expect(given).toBe(sent);
    expect(reason).toMatch(new RegExp(`^${code}: .*JSON`));
  }
});

test("outcomeOf lets a parser of its own make the input, but of no free text", () => {
  const seen: unknown[] = [];
  const parse = (text: string, call: object): string => {
    seen.push([text, call]);
    return "made";
  };
  expect(outcomeOf(factsOf({ text: ["[1]"] }), true, parse)).toMatchObject({ input: "made" });
  expect(outcomeOf(factsOf({ text: ["1"], isCustom: true }), true, parse)).toMatchObject({
    input: "1",
  });
  expect(outcomeOf(factsOf({ name: "", text: ["[1]"] }), true, parse).status).toBe("incomplete");
  expect(seen).toEqual([["[1]", { name: "f" }]]);
});

test.each<[string, () => unknown, string]>([
  [
    "an error",
    () => {
      throw new Error("x is missing");
    },
    "x is missing",
  ],
  [
    "a text",
    () => {
      throw "no";
    },
    "no",
  ],
  [
    "what cannot be a text",
    () => {
      throw Object.create(null);
    },
    "parseArguments threw",
  ],
  [
    "a promise, as its result",
    () => Promise.reject(new Error("late")),
    "parseArguments returned a promise",
  ],
])("outcomeOf rejects a call whose parser gives %s", (_name, parse, reason) => {
  expect(outcomeOf(factsOf({ text: ["[1]"] }), true, parse)).toEqual({
    arguments: "[1]",
    status: "incomplete",
    input: undefined,
    error: { code: "rejected", message: `Cannot execute f: ${reason}` },
  });
});
