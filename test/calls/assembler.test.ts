import { expect, test } from "vitest";
import { Assembler } from "../../src/calls/assembler.ts";
import type { CallDelta } from "../../src/dialects/delta.ts";
import { chat } from "../../src/dialects/chat/reader.ts";
import type { ResponseDialect } from "../../src/dialects/dialect.ts";
import { messages } from "../../src/dialects/messages/reader.ts";
import { ToolCallAssembler, type ToolCallAssemblerOptions } from "../../src/index.ts";
import { resolveOptions } from "../../src/options.ts";
import { Output } from "../../src/calls/output.ts";
import { assemble, brief, calls, chunk, entry, finish } from "../chat-chunks.ts";
import { chatMessage } from "../chat-message.ts";

const done = finish("tool_calls");

/** A custom call, whole. */
const custom = { id: "a", type: "custom", custom: { name: "sql", input: "SELECT 1" } };

test.each<[string, object[], string[]]>([
  [
    "an object in fragments",
    [calls(entry(0, "a", "f", '{"x"')), calls(entry(0, undefined, undefined, ":1}"))],
    ['f {"x":1} complete'],
  ],
  ["an array", [calls(entry(0, "a", "f", "[1]"))], ["f [1] complete"]],
  ["white space around", [calls(entry(0, "a", "f", ' {"x":1} \n'))], ['f  {"x":1} complete']],
  ["arguments as an object", [calls(entry(0, "a", "f", { x: 1 }))], ['f {"x":1} complete']],
  [
    "an entry that is no list",
    [chunk({ tool_calls: entry(0, "a", "f", '{"x":1}') })],
    ['f {"x":1} complete'],
  ],
  [
    "a null name and id behind",
    [calls(entry(0, "a", "f", '{"x"')), calls(entry(0, null, null, ":1}"))],
    ['f {"x":1} complete'],
  ],
  [
    "index as a string",
    [calls(entry("0", "a", "f", '{"x"')), calls(entry(0, undefined, undefined, ":1}"))],
    ['f {"x":1} complete'],
  ],
  [
    "index null",
    [calls(entry(null, "a", "f", '{"x"')), calls(entry(null, undefined, undefined, ":1}"))],
    ['f {"x":1} complete'],
  ],
  [
    "the same index twice in one delta",
    [calls(entry(0, "a", "f", '{"x"'), entry(0, undefined, undefined, ":1}"))],
    ['f {"x":1} complete'],
  ],
  [
    "the same choice twice in one event",
    [
      {
        choices: [
          { delta: { tool_calls: [entry(0, "a", "f", '{"x"')] } },
          { delta: { tool_calls: [entry(0, undefined, undefined, ":1}")] } },
        ],
      },
    ],
    ['f {"x":1} complete'],
  ],
  [
    "an id that changes on every fragment",
    [
      calls(entry(0, "a", "f", '{"x"')),
      calls(entry(0, "b", "f", ":1")),
      calls(entry(0, "c", "f", "}")),
    ],
    ['f {"x":1} complete'],
  ],
  [
    "a name that grows",
    [calls(entry(0, "a", "get", '{"x"')), calls(entry(0, undefined, "get_it", ":1}"))],
    ['get_it {"x":1} complete'],
  ],
  [
    "a name in pieces",
    [calls(entry(0, "a", "get_", '{"x"')), calls(entry(0, undefined, "it", ":1}"))],
    ['get_it {"x":1} complete'],
  ],
  ["a name with white space", [calls(entry(0, "a", " f\n", '{"x":1}'))], ['f {"x":1} complete']],
  [
    "a name behind the arguments",
    [calls(entry(0, "a", undefined, '{"x":1}')), calls(entry(0, undefined, "f"))],
    ['f {"x":1} complete'],
  ],
  [
    "a message instead of a delta",
    [
      {
        choices: [
          {
            message: {
              tool_calls: [
                entry(undefined, "a", "f", '{"x":1}'),
                entry(undefined, "b", "g", '{"y":2}'),
              ],
            },
          },
        ],
      },
    ],
    ['f {"x":1} complete', 'g {"y":2} complete'],
  ],
  [
    "function_call beside tool_calls",
    [
      chunk({
        tool_calls: [entry(0, "a", "f", '{"x":1}')],
        function_call: { name: "g", arguments: '{"y":2}' },
      }),
    ],
    ['f {"x":1} complete'],
  ],
  [
    "nothing but an index",
    [calls({ index: 0 }), calls({ index: 1, type: "function", function: {} })],
    [],
  ],
])("a call: %s", (_name, chunks, expected) => {
  const { calls: found, error } = assemble([...chunks, done]);
  expect(brief(found)).toEqual(expected);
  expect(error).toBeUndefined();
});

test.each<[string, object[], string[]]>([
  [
    "all at index 0, whole",
    [calls(entry(0, "a", "f", '{"x":1}')), calls(entry(0, "b", "f", '{"x":2}'))],
    ['f {"x":1} complete', 'f {"x":2} complete'],
  ],
  [
    "all at index 0, without ids",
    [calls(entry(0, "", "f", '{"x":1}')), calls(entry(0, "", "g", '{"x":2}'))],
    ['f {"x":1} complete', 'g {"x":2} complete'],
  ],
  [
    "all at index 0, opened without text",
    [
      calls(entry(0, "a", "f")),
      calls(entry(0, "b", "g")),
      calls(entry(0, undefined, undefined, '{"x":2}')),
    ],
    ['g {"x":2} complete', "f {} complete"],
  ],
  [
    "no index, no ids, whole",
    [calls(entry(undefined, "", "f", '{"x":1}'), entry(undefined, "", "f", '{"x":2}'))],
    ['f {"x":1} complete', 'f {"x":2} complete'],
  ],
  [
    "no index, ids on each fragment, interleaved",
    [
      calls(entry(undefined, "a", "f", '{"x"')),
      calls(entry(undefined, "b", "f", '{"x"')),
      calls(entry(undefined, "a", undefined, ":1}")),
      calls(entry(undefined, "b", undefined, ":2}")),
    ],
    ['f {"x":1} complete', 'f {"x":2} complete'],
  ],
  [
    "without arguments, held {} each",
    [calls(entry(undefined, "", "f", "{}"), entry(undefined, "", "f", "{}"))],
    ["f {} complete", "f {} complete"],
  ],
  [
    "two choices at one index",
    [
      {
        choices: [
          { index: 0, delta: { tool_calls: [entry(0, "a", "f", '{"x":')] } },
          { index: 1, delta: { tool_calls: [entry(0, "a", "f", '{"x":')] } },
        ],
      },
      {
        choices: [
          { index: 1, delta: { tool_calls: [entry(0, undefined, undefined, "2}")] } },
          { index: 0, delta: { tool_calls: [entry(0, undefined, undefined, "1}")] } },
        ],
      },
      { choices: [{ index: 1, delta: {}, finish_reason: "stop" }] },
    ],
    ['f {"x":2} complete', 'f {"x":1} complete'],
  ],
])("parallel calls: %s", (_name, chunks, expected) => {
  expect(brief(assemble([...chunks, done]).calls)).toEqual(expected);
});

test.each<[string, object[], string[], string[]]>([
  [
    "the same again",
    [entry(0, "a", "f", '{"x":1}'), entry(0, "a", "f", '{"x": 1}')],
    ['f {"x":1} complete'],
    ["repeated-arguments"],
  ],
  [
    "the same as a JSON string",
    [entry(0, "a", "f", '{"x":1}'), entry(0, "a", "f", '"{\\"x\\":1}"')],
    ['f {"x":1} complete'],
    ["repeated-arguments"],
  ],
  [
    "white space",
    [entry(0, "a", "f", '{"x":1}'), entry(0, undefined, undefined, " \n")],
    ['f {"x":1} complete'],
    [],
  ],
  [
    "a special token",
    [entry(0, "a", "f", '{"x":1}<|end|>')],
    ['f {"x":1} complete'],
    ["late-text"],
  ],
  [
    "another object",
    [entry(0, "a", "f", '{"x":1}'), entry(0, undefined, undefined, '{"x":2}')],
    ['f {"x":1} complete', 'f {"x":2} complete'],
    ["further-call"],
  ],
  [
    "another object in the same fragment, and both again",
    [entry(0, undefined, "f", '{"x":1}{"x":2}{"x":1}{"x":2}')],
    ['f {"x":1} complete', 'f {"x":2} complete'],
    ["further-call", "repeated-arguments", "repeated-arguments"],
  ],
  ["an empty object", [entry(0, "a", "f", '{"x":1}{}')], ['f {"x":1} complete'], ["late-text"]],
  ["an array", [entry(0, "a", "f", '{"x":1}[2]')], ['f {"x":1} complete'], ["late-text!"]],
  [
    "an object that never closes",
    [entry(0, "a", "f", '{"x":1}{"x":')],
    ['f {"x":1} complete'],
    ["late-text!"],
  ],
  [
    "a name and an id",
    [entry(0, "a", "f", '{"x":1}'), entry(0, "b", "f", '{"x":1}')],
    ['f {"x":1} complete', 'f {"x":1} complete'],
    [],
  ],
])("behind the arguments of a call: %s", (_name, entries, expected, diagnostics) => {
  const { calls: found, completion } = assemble([...entries.map((each) => calls(each)), done]);
  expect(brief(found)).toEqual(expected);
  expect(
    completion.diagnostics.map(({ code, severity }) => (severity === "error" ? `${code}!` : code)),
  ).toEqual(diagnostics);
});

test.each<[string, object[], string[]]>([
  [
    "a placeholder, then the arguments",
    [entry(0, "a", "f", "{}"), entry(0, undefined, undefined, '{"x":1}')],
    ['f {"x":1} complete'],
  ],
  [
    "a placeholder and the arguments in one",
    [entry(0, "a", "f", '{} {"x":1}')],
    ['f {"x":1} complete'],
  ],
  [
    "two placeholders, then fragments",
    [
      entry(0, "a", "f", "{}{}"),
      entry(0, undefined, undefined, '{"x'),
      entry(0, undefined, undefined, '":1}'),
    ],
    ['f {"x":1} complete'],
  ],
  [
    "a placeholder, then arguments that never close",
    [entry(0, "a", "f", '{}{"x":')],
    ['f {"x": truncated'],
  ],
  [
    "a placeholder, then an object in single quotes",
    [entry(0, "a", "f", "{}"), entry(0, undefined, undefined, "{'x': 1}")],
    ["f {} malformed"],
  ],
  ["a placeholder, then a token", [entry(0, "a", "f", "{}</s>")], ["f {} complete"]],
  [
    "a placeholder, a token, then an object",
    [entry(0, "a", "f", '{}</s>{"x":1}')],
    ["f {} malformed"],
  ],
  ["an empty object", [entry(0, "a", "f", "{ }")], ["f { } complete"]],
  ["no arguments", [entry(0, "a", "f")], ["f {} complete"]],
  ["blank arguments", [entry(0, "a", "f", " ")], ["f {} complete"]],
  ["a number", [entry(0, "a", "f", "1"), entry(0, undefined, undefined, "2")], ["f 12 complete"]],
  ["null", [entry(0, "a", "f", "null")], ["f null complete"]],
  [
    "an object in a string",
    [entry(0, "a", "f", '"{\\"x\\":'), entry(0, undefined, undefined, '1}"')],
    ['f {"x":1} complete'],
  ],
  ["a string", [entry(0, "a", "f", '"x"')], ['f "x" complete']],
  [
    "repeated whole",
    [entry(0, "a", "f", '{"x": 1, '), entry(0, undefined, undefined, '{"x": 1, "y": 2}')],
    ['f {"x": 1, "y": 2} complete'],
  ],
  [
    "cumulative",
    [
      entry(0, "a", "f", '{"x'),
      entry(0, undefined, undefined, '{"x": 1'),
      entry(0, undefined, undefined, '{"x": 1}'),
    ],
    ['f {"x": 1} complete'],
  ],
  [
    "cumulative, with a fragment of nothing among them",
    [
      entry(0, "a", "f", '{"x'),
      entry(0, "a", "f", ""),
      entry(0, undefined, undefined, '{"x": 1'),
      entry(0, undefined, undefined, '{"x": 1}'),
    ],
    ['f {"x": 1} complete'],
  ],
  ["single quotes", [entry(0, "a", "f", "{'x': 1}")], ["f {'x': 1} malformed"]],
  ["a value that never closes", [entry(0, "a", "f", '{"x":')], ['f {"x": truncated']],
  ["no name", [entry(0, "a", undefined, '{"x":1}')], [' {"x":1} nameless']],
  [
    "custom input",
    [
      entry(0, "a", undefined, undefined, { type: "custom", custom: { name: "f", input: "1" } }),
      entry(0, undefined, undefined, undefined, { custom: { input: " + 1}" } }),
    ],
    ["f 1 + 1} complete"],
  ],
  [
    "no custom input",
    [entry(0, "a", undefined, undefined, { type: "custom", custom: { name: "f" } })],
    ["f  complete"],
  ],
])("held until the end: %s", (_name, entries, expected) => {
  const chunks = entries.map((each) => calls(each));
  expect(brief(assemble([...chunks, done]).calls)).toEqual(expected);
  const isAtEnd = assemble(chunks.slice(0, -1)).calls.every(
    ({ status }) => status === "incomplete",
  );
  expect(isAtEnd).toBe(true);
});

test.each(["length", "content_filter", "error", "tool"])(
  "what is held is truncated when the reason is %s, and what is complete is not",
  (reason) => {
    const chunks = [calls(entry(0, "a", "f", '{"x":1}'), entry(1, "b", "g", "{}")), finish(reason)];
    expect(brief(assemble(chunks).calls)).toEqual(['f {"x":1} complete', "g {} truncated"]);
  },
);

test.each(["STOP", "tool-calls", "Tool_Call", "end_turn", "function_call", "eos_token"])(
  "what is held is complete when the reason is %s",
  (reason) => {
    const chunks = [calls(entry(0, "b", "g", "{}")), finish(reason)];
    expect(brief(assemble(chunks).calls)).toEqual(["g {} complete"]);
  },
);

test("every finish reason has to be a normal one", () => {
  const chunks = [calls(entry(0, "b", "g", "{}")), finish("stop"), finish("length")];
  expect(brief(assemble(chunks).calls)).toEqual(["g {} truncated"]);
});

test("copies of one call at several indices are dropped, with their ids", () => {
  const { calls: found, completion } = assemble([
    calls(entry(0, "a", "f", '{"x":1}'), entry(1, "a", "f", '{"x":1}'), entry(2, "a", "g", "{}")),
    calls(entry(3, "a", "g", "{}"), entry(4, "", "f", '{"x":1}'), entry(5, "", "f", '{"x":1}')),
    done,
  ]);
  expect(brief(found)).toEqual([
    'f {"x":1} complete',
    'f {"x":1} complete',
    'f {"x":1} complete',
    "g {} complete",
  ]);
  const copies = completion.diagnostics.filter(({ code }) => code === "repeated-call");
  expect(copies).toHaveLength(2);
  const ids = found.map(({ id }) => id);
  for (const { id } of copies) expect(ids).not.toContain(id);
});

test("calls that were cut are no copies of each other", () => {
  const entries = [entry(0, "a", "f", '{"x":'), entry(1, "a", "f", '{"x":')];
  expect(brief(assemble([calls(...entries), finish("length")]).calls)).toEqual([
    'f {"x": truncated',
    'f {"x": truncated',
  ]);
});

test("a call that is rejected has no copies", () => {
  const entries = [entry(0, "a", "f", '{"x":1}'), entry(1, "a", "f", '{"x":1}')];
  const { calls: found } = assemble([calls(...entries), done], {
    parseArguments: () => {
      throw new Error("no");
    },
  });
  expect(brief(found)).toEqual(['f {"x":1} rejected']);
});

test("calls of the same arguments have an input each, so that a tool may change its own", () => {
  const [first, second] = assemble([
    calls(entry(0, "a", "f", '{"x":[1]}'), entry(1, "b", "f", '{"x":[1]}')),
    done,
  ]).calls;
  expect([first?.input, second?.input]).toEqual([{ x: [1] }, { x: [1] }]);
  expect(first?.input).not.toBe(second?.input);
});

test("a custom call at several indices is one call", () => {
  const { calls: found, completion } = assemble([
    calls({ index: 0, ...custom }, { index: 1, ...custom }),
    done,
  ]);
  expect(brief(found)).toEqual(["sql SELECT 1 complete"]);
  expect(completion.diagnostics).toMatchObject([{ code: "repeated-call", severity: "warning" }]);
});

test("positions count the calls of a choice in order of first appearance", () => {
  const { calls: found } = assemble([
    calls(entry(7, "a", "f", '{"x":'), entry(-1, "b", "g", '{"y":1}')),
    calls(entry(7, undefined, undefined, "1}")),
    done,
  ]);
  expect(found.map(({ name, index, choice }) => [name, index, choice])).toEqual([
    ["g", 1, 0],
    ["f", 0, 0],
  ]);
});

test("a call keeps its first provider id, and unknown fields where they stood", () => {
  const google = { thought_signature: "s" };
  const { calls: found } = assemble([
    calls(entry(0, undefined, "f", '{"x":')),
    calls(entry(0, "a", undefined, "", { extra_content: { google }, nothing: null })),
    calls({ index: 0, id: "b", function: { arguments: "1}", strict: true } }),
    done,
  ]);
  expect(found).toEqual([
    {
      id: expect.stringMatching(/^call_[a-z0-9]{28}$/),
      providerId: "a",
      type: "function",
      name: "f",
      arguments: '{"x":1}',
      status: "complete",
      input: { x: 1 },
      error: undefined,
      choice: 0,
      index: 0,
      dialect: "chat",
      extra: { extra_content: { google }, function: { strict: true } },
    },
  ]);
  expect(structuredClone(found)).toEqual(found);
});

test.each<[string, unknown[], object | undefined]>([
  ["none, where none came", [undefined, undefined], undefined],
  ["one that came late", [undefined, "s"], { signature: "s" }],
  ["the last value of one that changes", ["s", "t"], { signature: "t" }],
])("a call has of unknown fields %s", (_name, [first, second], extra) => {
  const { calls: found } = assemble([
    calls(entry(0, "a", "f", '{"x":', { signature: first })),
    calls(entry(0, undefined, undefined, "1}", { signature: second })),
    done,
  ]);
  expect(found[0]?.extra).toEqual(extra);
});

test.each<[string, ToolCallAssemblerOptions["parseArguments"], string, string]>([
  [
    "throws",
    () => {
      throw new Error("city is missing");
    },
    '{"x":1}',
    "rejected",
  ],
  [
    "throws no error",
    () => {
      throw "no";
    },
    '{"x":1}',
    "rejected",
  ],
  ["returns a promise", () => Promise.reject(new Error("late")), '{"x":1}', "rejected"],
  ["throws on text that is not JSON", (text) => JSON.parse(text), "{'x'}", "malformed"],
  ["throws on text that never closed", (text) => JSON.parse(text), '{"x"', "truncated"],
])("parseArguments that %s makes the call incomplete", (_name, parseArguments, text, code) => {
  const { calls: found } = assemble([calls(entry(0, "a", "f", text)), done], { parseArguments });
  expect(brief(found)).toEqual([`f ${text} ${code}`]);
  expect(found[0]?.error?.message).toMatch(/^Cannot execute f: ./);
});

test("parseArguments makes the input, of text that it repairs as well", () => {
  const seen: unknown[] = [];
  const parseArguments = (text: string, call: { readonly name: string }) => {
    seen.push([text, call]);
    return text.length;
  };
  const entries = [entry(0, "a", "f", '{"x":1}'), entry(1, "b", "g", "{'y'"), entry(2, "c", "h")];
  const { calls: found } = assemble([calls(...entries), done], { parseArguments });
  expect(found.map(({ status, input }) => [status, input])).toEqual([
    ["complete", 7],
    ["complete", 4],
    ["complete", 2],
  ]);
  expect(seen).toEqual([
    ['{"x":1}', { name: "f" }],
    ["{'y'", { name: "g" }],
    ["{}", { name: "h" }],
  ]);
});

test("a call comes out with the chunk that completes it, or with eager: false at the end", () => {
  const chunks = [calls(entry(0, "a", "f", '{"x":1}')), chunk({ content: "more" }), done];
  const typesOf = (options: ToolCallAssemblerOptions) =>
    assemble(chunks, options).events.map(({ type }) => type);
  expect(typesOf({})).toEqual([
    "tool-call-start",
    "tool-call-delta",
    "tool-call",
    "text",
    "finish",
  ]);
  expect(typesOf({ eager: false })).toEqual([
    "tool-call-start",
    "tool-call-delta",
    "text",
    "finish",
    "tool-call",
  ]);
});

test("a further call comes out with the chunk that completes it", () => {
  const events = new ToolCallAssembler().push(calls(entry(0, "a", "f", '{"x":1}{"x":2}')));
  const found = events.flatMap((event) => (event.type === "tool-call" ? [event.call] : []));
  expect(brief(found)).toEqual(['f {"x":1} complete', 'f {"x":2} complete']);
});

/** What of calls is shown, short. */
function eventsOf(...entries: object[]): string[] {
  return assemble([...entries.map((each) => calls(each)), done]).events.flatMap((event) => {
    if (event.type === "tool-call-start") return [`start ${event.name}`];
    if (event.type === "tool-call-delta") return [event.fragment];
    return event.type === "tool-call" ? ["call"] : [];
  });
}

test("fragments wait for the name, and a held {} until it is settled", () => {
  expect(
    eventsOf(entry(0, "a", "", '{"x"'), entry(0, "", "", ":"), entry(0, "", "f", "1}")),
  ).toEqual(["start f", '{"x":1}', "call"]);
  expect(
    eventsOf(entry(0, "a", "f", "{"), entry(0, "", "", '"x":1'), entry(0, "", "", "}\n")),
  ).toEqual(["start f", '{"x":1', "}", "call"]);
  expect(eventsOf(entry(0, "a", "f", "{"), entry(0, "", "", "}"))).toEqual([
    "start f",
    "{}",
    "call",
  ]);
  expect(eventsOf(entry(0, "a", "f", "{}"), entry(0, "", "", '{"x":1}'))).toEqual([
    "start f",
    '{"x":1}',
    "call",
  ]);
  expect(eventsOf(entry(0, "a", "f"))).toEqual(["start f", "{}", "call"]);
  expect(eventsOf(entry(0, "a", "", '{"x":1}'))).toEqual(["start ", '{"x":1}', "call"]);
});

test.each([
  ["an empty id", () => ""],
  ["no string", () => 5 as unknown as string],
  ["the same id twice", () => "same"],
  [
    "nothing but an error",
    () => {
      throw new Error("no");
    },
  ],
])(
  "generateId that gives %s is a TypeError, behind the calls that came before",
  (_name, generateId) => {
    const {
      calls: found,
      error,
      events,
    } = assemble(
      [calls(entry(0, "a", "f", '{"x":1}')), calls(entry(1, "b", "g", '{"x":1}')), done],
      { generateId },
    );
    expect(error).toBeInstanceOf(TypeError);
    expect(events.at(-1)?.type).toBe("error");
    expect(brief(found)).toEqual(
      generateId.toString().includes("same") ? ['f {"x":1} complete'] : [],
    );
  },
);

test.each<[string, ToolCallAssemblerOptions, object[], string[]]>([
  [
    "maxToolCalls",
    { maxToolCalls: 2 },
    [
      calls(entry(0, "a", "f", '{"x":1}')),
      calls(entry(1, "b", "g", "{"), entry(2, "c", "h", '{"y":1}'), entry(1, "", "", '"z":1}')),
    ],
    ['f {"x":1} complete', 'g {"z":1} complete'],
  ],
  [
    "maxToolCalls",
    { maxToolCalls: 1 },
    [calls(entry(0, "a", "f", '{"x":1}{"x":2}'))],
    ['f {"x":1} complete'],
  ],
  [
    "maxToolCalls",
    { maxToolCalls: 1 },
    [
      {
        choices: [
          { index: 0, delta: { tool_calls: [entry(0, "a", "f", '{"x":1}')] } },
          { index: 1, delta: { tool_calls: [entry(0, "b", "g", '{"y":1}')] } },
        ],
      },
    ],
    ['f {"x":1} complete'],
  ],
  [
    "maxArgumentsLength",
    { maxArgumentsLength: 8 },
    [calls(entry(0, "", "f", '{"x":1}')), calls(entry(1, "", "g", '{"y":12}'))],
    ['f {"x":1} complete', 'g {"y":12 truncated'],
  ],
  [
    "maxArgumentsLength",
    { maxArgumentsLength: 12 },
    [calls(entry(0, "", "f", '{"x":1}')), calls(entry(0, "", "", "<|end|>"))],
    ['f {"x":1} complete'],
  ],
  [
    "maxArgumentsLength",
    { maxArgumentsLength: 12 },
    [
      calls(entry(0, "a", "f", '{"x":')),
      ...["b", "c", "d", "e", "g", "h"].map((id) => calls(entry(0, id, "f"))),
    ],
    ['f {"x": truncated'],
  ],
  [
    "maxArgumentsLength",
    { maxArgumentsLength: 12 },
    [calls(entry(0, "a", "f", "{", { extra_content: "long" }))],
    ["f  truncated"],
  ],
])("%s: what is complete is delivered, then the error: %j", (name, options, chunks, expected) => {
  const { calls: found, error, events } = assemble([...chunks, done], options);
  expect(brief(found)).toEqual(expected);
  expect(error).toMatchObject({ code: "limit-exceeded", limit: { name } });
  expect(events.at(-1)?.type).toBe("error");
});

test("the error of a limit says which one, and which event is over it", () => {
  const chunks = [chunk({ content: "Hi" }), calls(entry(0, "a", "f", '{"x":"long"}')), done];
  expect(assemble(chunks, { maxArgumentsLength: 8 }).error).toMatchObject({
    message: "Cannot read response: it exceeds maxArgumentsLength (8)",
    event: 1,
  });
});

test("ids and names that only repeat do not count towards maxArgumentsLength", () => {
  const again = Array.from({ length: 50 }, () => calls(entry(0, "a", "f", "")));
  const chunks = [
    calls(entry(0, "a", "f", '{"x":')),
    ...again,
    calls(entry(0, "a", "f", "1}")),
    done,
  ];
  expect(brief(assemble(chunks, { maxArgumentsLength: 9 }).calls)).toEqual(['f {"x":1} complete']);
});

/** Newer engines write an array of any depth; one that holds itself, none. */
const cycle: unknown[] = [];
cycle.push(cycle);

/** Deeper than the stack of any engine. */
function deep(depth: number): unknown {
  let value: unknown = [];
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

test.each<[string, object[], string[]]>([
  [
    "a name behind the arguments, without an index",
    [calls(entry(undefined, "", "", '{"x":1}')), calls(entry(undefined, "", "f"))],
    ['f {"x":1} complete'],
  ],
  [
    "a name between the arguments, without an index",
    [calls(entry(undefined, "", "", '{"x"')), calls(entry(undefined, "", "f", ":1}"))],
    ['f {"x":1} complete'],
  ],
  [
    "an index that comes with the second delta",
    [calls(entry(undefined, "a", "f")), calls(entry(0, "a", "", '{"x":1}'))],
    ['f {"x":1} complete'],
  ],
  [
    "the fields of function among the others",
    [calls({ index: 0, id: "a", name: "f", arguments: '{"x":1}' })],
    ['f {"x":1} complete'],
  ],
  [
    "a missing id that was made text",
    [
      calls(entry(undefined, "a", "f", '{"x":')),
      calls(entry(undefined, "null", "", "1}")),
      calls(entry(undefined, "b", "g")),
      calls(entry(undefined, "null", "", '{"y":2}')),
    ],
    ['f {"x":1} complete', 'g {"y":2} complete'],
  ],
  [
    "arguments that cannot be written",
    [calls(entry(0, "a", "f")), calls({ index: 0, function: { arguments: cycle } })],
    ["f ? malformed"],
  ],
  [
    "arguments that have no JSON",
    [calls({ index: 0, id: "a", function: { name: "f", arguments: () => 1 } })],
    ["f ? malformed"],
  ],
  [
    "two calls in one list without index, ids and arguments",
    [calls(entry(undefined, "", "f"), entry(undefined, "", "g"))],
    ["f {} complete", "g {} complete"],
  ],
  [
    "a placeholder, then an object, then the name",
    [calls(entry(0, "a", "", "{}")), calls(entry(0, "", "", '{"x":1}')), calls(entry(0, "", "f"))],
    ['f {"x":1} complete'],
  ],
  [
    "a placeholder, then an object, and no name",
    [calls(entry(0, "a", "", "{}")), calls(entry(0, "", "", '{"x":1}'))],
    [' {"x":1} nameless'],
  ],
  [
    "a placeholder, then a bracket that is no array",
    [calls(entry(0, "a", "f", "{}")), calls(entry(0, "", "", "[/TOOL_CALLS]"))],
    ["f {} complete"],
  ],
  [
    "a placeholder, a token, then an object, in pieces",
    [calls(entry(0, "a", "f", "{}}")), calls(entry(0, "", "", '{"x":1}'))],
    ["f {} malformed"],
  ],
  [
    "a placeholder, then an array",
    [calls(entry(0, "a", "f", "{}")), calls(entry(0, "", "", "[1]"))],
    ["f {} malformed"],
  ],
  ["a placeholder, then a string", [calls(entry(0, "a", "f", '{}"abc"'))], ["f {} malformed"]],
  [
    "white space that is none in JSON",
    [calls(entry(0, "a", "f", "\u00a0"))],
    ["f \u00a0 malformed"],
  ],
])("odd shapes: %s", (_name, chunks, expected) => {
  const { calls: found, error } = assemble([...chunks, done]);
  expect(brief(found)).toEqual(expected);
  expect(error).toBeUndefined();
});

test.each<[string, ToolCallAssemblerOptions["parseArguments"], string]>([
  [
    "throws what has no text",
    () => {
      throw Object.create(null);
    },
    "parseArguments threw",
  ],
  [
    "throws an error whose message is none",
    () => {
      throw Object.assign(new Error("x"), { message: Symbol("x") });
    },
    "parseArguments threw",
  ],
  [
    "returns a thenable that throws",
    () => ({
      // oxlint-disable-next-line unicorn/no-thenable -- a thenable is what this is about
      then() {
        throw new Error("no");
      },
    }),
    "parseArguments returned a promise",
  ],
])("parseArguments that %s is no more than a rejected call", (_name, parseArguments, reason) => {
  const { calls: found } = assemble([calls(entry(0, "a", "f", '{"x":1}')), done], {
    parseArguments,
  });
  expect(brief(found)).toEqual(['f {"x":1} rejected']);
  expect(found[0]?.error?.message).toBe(`Cannot execute f: ${reason}`);
});

test("nothing is shown of a call behind its end", () => {
  const { events } = assemble([
    calls(entry(0, "a", "", '{"x":1}')),
    calls(entry(0, "", "f")),
    calls(entry(0, "", "", " ")),
    done,
  ]);
  expect(events.map(({ type }) => type)).toEqual([
    "tool-call-start",
    "tool-call-delta",
    "tool-call",
    "finish",
  ]);
});

test("the limit leaves what fits, and all other calls of the event", () => {
  const { calls: found, error } = assemble(
    [calls(entry(0, "", "f", `{"x":1}${" ".repeat(100)}`), entry(1, "", "g", '{"y":1}')), done],
    { maxArgumentsLength: 50 },
  );
  expect(brief(found)).toEqual(['f {"x":1} complete', 'g {"y":1} complete']);
  expect(error).toMatchObject({ code: "limit-exceeded" });
});

test("unknown fields may be nested too deep to be written", () => {
  const body = { name: "g", arguments: '{"y":1}' };
  const { calls: found } = assemble([
    calls(entry(0, "a", "f", '{"x":1}')),
    calls({ index: 1, id: "b", function: body, extra: deep(100_000) }),
    done,
  ]);
  expect(brief(found)).toEqual(['f {"x":1} complete', 'g {"y":1} complete']);
});

test("unknown fields that repeat on every fragment count once", () => {
  const extra = { signature: "s".repeat(20) };
  const chunks = ['{"x"', ":", "1", "}"].map((text) => calls(entry(0, "a", "f", text, { extra })));
  const { calls: found, error } = assemble([...chunks, done], { maxArgumentsLength: 60 });
  expect(found[0]?.extra).toEqual({ extra });
  expect(error).toBeUndefined();
});

test("a further call ends as the response did", () => {
  const chunks = [calls(entry(0, "a", "", '{"x":1}{"x":2}')), finish("length")];
  expect(brief(assemble(chunks).calls)).toEqual([' {"x":1} truncated', ' {"x":2} truncated']);
});

test("a message behind deltas repeats their calls, whatever their ids and indices", () => {
  const entries = [entry(undefined, "", "f", '{"x": 1}'), entry(undefined, "", "g", '{"y":1}')];
  const { calls: found } = assemble([
    calls(entry(1, "a", "f", '{"x":1}')),
    { choices: [{ message: { tool_calls: entries }, finish_reason: "stop" }] },
  ]);
  expect(brief(found)).toEqual(['f {"x":1} complete', 'g {"y":1} complete']);
});

test("a message behind deltas repeats their custom call, whatever its index", () => {
  const message = { choices: [{ message: { tool_calls: [custom] }, finish_reason: "stop" }] };
  const { calls: found, completion } = assemble([calls({ index: 1, ...custom }), message]);
  expect(brief(found)).toEqual(["sql SELECT 1 complete"]);
  expect(completion.diagnostics).toEqual([]);
});

test("several messages without deltas say what each brings", () => {
  const { completion } = assemble([
    { choices: [{ message: { content: "Hel" } }] },
    { choices: [{ message: { content: "lo" }, finish_reason: "stop" }] },
  ]);
  expect(chatMessage(completion)?.content).toBe("Hello");
});

test("a call that has arguments does not become a custom one", () => {
  const { calls: found } = assemble([
    calls(entry(0, "a", "f", '{"x":')),
    calls({ index: 0, custom: { input: "1}" } }),
    done,
  ]);
  expect(found).toMatchObject([{ type: "function", arguments: '{"x":1}', status: "complete" }]);
});

test("diagnostics of calls beyond 1,000 are only counted", () => {
  const repeated = calls(entry(0, "a", "f", '{"x":1}'.repeat(1002)));
  const { events, completion } = assemble([repeated, done]);
  expect(events.filter(({ type }) => type === "diagnostic")).toHaveLength(1000);
  expect(completion.diagnosticCount).toBe(1001);
});

test.each<[string, object[], string[]]>([
  [
    "an object behind a whole call is no other's",
    [
      entry(undefined, "a", "f"),
      entry(undefined, "b", "g", '{"x":1}'),
      entry(undefined, "", "", '{"x":1}'),
    ],
    ['g {"x":1} complete', "f {} complete"],
  ],
  [
    "an object behind {} is no other's",
    [
      entry(undefined, "a", "f"),
      entry(undefined, "b", "g", "{}"),
      entry(undefined, "", "", '{"x":1}'),
    ],
    ['g {"x":1} complete', "f {} complete"],
  ],
  [
    "a digit behind a number is no other's",
    [entry(undefined, "a", "f"), entry(undefined, "b", "g", "1"), entry(undefined, "", "", "2")],
    ["f {} complete", "g 12 complete"],
  ],
  [
    "arguments that have begun go on",
    [entry(0, "a", "f", '{"x":'), entry(1, "b", "g", '{"y":1}'), entry(undefined, "", "", "1}")],
    ['g {"y":1} complete', 'f {"x":1} complete'],
  ],
  [
    "text behind a whole call is no custom call's, which may be whole as well",
    [
      { id: "a", type: "custom", custom: { name: "sql", input: "SELECT" } },
      entry(undefined, "b", "g", '{"y":1}'),
      entry(undefined, "", "", " 1"),
    ],
    ['g {"y":1} complete', "sql SELECT complete"],
  ],
])("without an index, %s", (_name, entries, expected) => {
  expect(brief(assemble([...entries.map((each) => calls(each)), done]).calls)).toEqual(expected);
});

const blank: CallDelta = {
  type: "call",
  choice: 0,
  index: "0",
  fragment: "",
  places: [],
};

/** What comes of the deltas of one call named `f`; a snapshot stands in a list. */
function snapshotsOf(
  pieces: readonly (string | [string])[],
  { isCustom = false, max = 1000 } = {},
): { found: string[]; shown: string[]; diagnostics: string[]; failure: unknown } {
  const output = new Output(() => {}, false);
  const assembler = new Assembler(resolveOptions({ maxArgumentsLength: max }), output);
  assembler.apply({ ...blank, name: "f", isCustom }, messages);
  for (const piece of pieces) {
    const isAll = typeof piece !== "string";
    const fragment = isAll ? piece[0] : piece;
    const extent = isAll ? "all" : "piece";
    assembler.apply({ ...blank, isCustom, fragment, extent }, messages);
  }
  assembler.end(() => "normal");
  const events = output.take();
  return {
    found: brief(output.calls),
    shown: events.flatMap((event) => (event.type === "tool-call-delta" ? [event.fragment] : [])),
    diagnostics: output.diagnostics.map(({ code, severity }) => `${code} ${severity}`),
    failure: output.failure,
  };
}

test.each<[string, (string | [string])[], string, string[], string[]]>([
  ["alone", [['{"x":1}']], 'f {"x":1} complete', ['{"x":1}'], []],
  ["behind all pieces", ['{"x"', ":1}", ['{"x": 1}']], 'f {"x":1} complete', ['{"x"', ":1}"], []],
  ["behind some pieces", ['{"x"', ['{"x":1}']], 'f {"x":1} complete', ['{"x"', ":1}"], []],
  ["twice", [['{"x":1}'], ['{"x":1}']], 'f {"x":1} complete', ['{"x":1}'], []],
  ["of nothing", [[""], ["{}"]], "f {} complete", ["{}"], []],
  [
    "behind a placeholder",
    ["{}", ['{"x":1}']],
    'f {"x":1} complete',
    ['{"x":1}'],
    ["repaired-arguments warning"],
  ],
  [
    "in the place of pieces that are shown, which cannot be taken back",
    ['{"x"', ['{"y":1}']],
    'f {"y":1} complete',
    ['{"x"'],
    ["repaired-arguments warning"],
  ],
  [
    "that is not what came before",
    ['{"x":1}', ['{"x":2}']],
    'f {"x":1} complete',
    ['{"x":1}'],
    ["late-text error"],
  ],
  [
    "that begins what goes on in pieces",
    [['{"x"'], ":1}"],
    'f {"x":1} complete',
    ['{"x"', ":1}"],
    [],
  ],
])("all of the arguments at once: %s", (_name, pieces, call, shown, diagnostics) => {
  expect(snapshotsOf(pieces)).toEqual({ found: [call], shown, diagnostics, failure: undefined });
});

test("all of the free text at once", () => {
  expect(snapshotsOf(["SEL", ["SELECT 1"]], { isCustom: true })).toMatchObject({
    found: ["f SELECT 1 complete"],
    shown: ["SEL", "ECT 1"],
    diagnostics: [],
  });
});

test("all of the arguments at once count towards maxArgumentsLength, but for what came before", () => {
  const text = '{"x":1}';
  const max = "f".length + text.length;
  expect(snapshotsOf(['{"x"', [text], [text]], { max }).failure).toBeUndefined();
  expect(snapshotsOf([["word".repeat(4)]], { max }).failure).toMatchObject({
    name: "maxArgumentsLength",
  });
});

/** What comes out of deltas of one call: with the last of them, and at a cut that follows. */
function comingOutOf(...deltas: Partial<CallDelta>[]): [atOnce: string[], atEnd: string[]] {
  const output = new Output(() => {}, true);
  const assembler = new Assembler(resolveOptions({}), output);
  for (const delta of deltas) assembler.apply({ ...blank, ...delta }, messages);
  const atOnce = brief(output.calls);
  assembler.end(() => "cut");
  return [atOnce, brief(output.calls.slice(atOnce.length))];
}

test.each<[string, Partial<CallDelta>, string]>([
  ["a placeholder", { fragment: "{}" }, "f {} complete"],
  ["an empty list", { fragment: "[]" }, "f [] complete"],
  ["no arguments", {}, "f {} complete"],
  ["free text", { fragment: "SELECT 1", isCustom: true }, "f SELECT 1 complete"],
  ["no free text", { isCustom: true }, "f  complete"],
  ["a scalar", { fragment: "12" }, "f 12 complete"],
  ["arguments that are cut", { fragment: '{"x":' }, 'f {"x": truncated'],
  ["arguments that are no JSON", { fragment: "{x" }, "f {x malformed"],
])("a call that is closed comes out at once, with %s", (_name, delta, call) => {
  const begun = { name: "f", ...delta };
  expect(comingOutOf({ ...begun, isClosed: true })).toEqual([[call], []]);
  expect(comingOutOf(begun, { isClosed: true })).toEqual([[call], []]);
  // Left open, it may be what came before a cut.
  expect(comingOutOf(begun)[0]).toEqual([]);
});

test("a call that is closed waits for its name", () => {
  const closed = { fragment: "{}", isClosed: true };
  expect(comingOutOf(closed, { name: "f" })).toEqual([["f {} complete"], []]);
  expect(comingOutOf(closed)).toEqual([[], [" {} truncated"]]);
});

test("a lost event damages the calls that are closed behind it, and none that was before", () => {
  const output = new Output(() => {}, true);
  const assembler = new Assembler(resolveOptions({}), output);
  assembler.apply({ ...blank, index: "0", name: "f", fragment: "{}", isClosed: true }, messages);
  assembler.apply({ ...blank, index: "1", name: "g", fragment: "{}" }, messages);
  assembler.damage();
  assembler.apply({ ...blank, index: "1", isClosed: true }, messages);
  expect(brief(output.calls)).toEqual(["f {} complete"]);
  assembler.end(() => "normal");
  expect(brief(output.calls)).toEqual(["f {} complete", "g {} damaged"]);
});

test("Assembler.damageCall makes one call incomplete, and no other", () => {
  const output = new Output(() => {}, true);
  const assembler = new Assembler(resolveOptions({}), output);
  for (const index of ["0", "1"]) {
    assembler.apply({ ...blank, index, name: `f${index}`, fragment: "[" }, messages);
  }
  assembler.damageCall(0, "1");
  assembler.damageCall(0, "2");
  for (const index of ["0", "1"]) assembler.apply({ ...blank, index, fragment: "1]" }, messages);
  assembler.end(() => "normal");
  expect(brief(output.calls)).toEqual(["f0 [1] complete", "f1 [1] damaged"]);
});

const messageOf = (...texts: string[]): object => ({
  choices: [
    {
      message: {
        tool_calls: texts.map((text) => ({ function: { name: "f", arguments: text } })),
      },
    },
  ],
});

test("a message behind deltas repeats the calls that it equals, whole, open or without a name", () => {
  const streamed = calls(
    entry(10, undefined, "f", '{"x":1}'),
    entry(11, undefined, "f", '{"x":1}'),
    entry(12, undefined, "g", '{"x":'),
    entry(13, undefined, "f", '{"y":'),
    entry(14, undefined, "f", "{}"),
    entry(15, undefined, undefined, '{"z":1}'),
  );
  const texts = ['{ "x": 1 }', '{"y":', "{ }", '{"z":1}'];
  const { calls: found } = assemble([streamed, messageOf(...texts), messageOf(...texts), done]);
  const repeated = found.filter(({ choice, index }) => choice === 0 && index > 5);
  expect(brief(repeated)).toEqual(['f {"z":1} complete']);
});

test("more calls may wait for the end than a function takes arguments", () => {
  const count = 130_000;
  const assembler = new ToolCallAssembler({ eager: false, maxToolCalls: Infinity });
  const whole = { type: "function", function: { name: "f", arguments: '{"x":1}' } };
  assembler.push(
    chunk({ tool_calls: Array.from({ length: count }, (_, index) => ({ index, ...whole })) }),
  );
  assembler.push(finish("stop"));
  const found = assembler.end().filter(({ type }) => type === "tool-call");
  expect(found).toHaveLength(count);
}, 60_000);

test.each<[string, ResponseDialect, string[], string]>([
  [
    "an object behind a placeholder, in a dialect without further calls",
    messages,
    ["{}", '{"x":1}'],
    'f {"x":1} damaged',
  ],
  [
    "an object behind a placeholder, which it replaces",
    chat,
    ["{}", '{"x":1}'],
    'f {"x":1} complete',
  ],
  ["a list behind a placeholder", chat, ["{}", "[1]"], "f {} damaged"],
  ["a second placeholder", chat, ["{}", "{}"], "f {} complete"],
])("before the name of a call came %s", (_name, dialect, fragments, expected) => {
  const output = new Output(() => {}, false);
  const assembler = new Assembler(resolveOptions({}), output);
  for (const fragment of fragments) assembler.apply({ ...blank, fragment }, dialect);
  assembler.apply({ ...blank, name: "f" }, dialect);
  assembler.end(() => "normal");
  expect(brief(output.calls)).toEqual([expected]);
});
