import { describe, expect, test } from "vitest";
import { findPairingFaults, type HistoryFault, mendHistory } from "../../src/index.ts";
import { answers, asks, result, searched, user, uses } from "./messages.ts";
import { chatComplaint, messagesComplaint, responsesComplaint } from "./strict-validators.ts";

type Row = [
  title: string,
  history: readonly unknown[],
  mended: readonly unknown[],
  faults?: string,
];

const missing = "No result: the call was interrupted. It may or may not have been executed.";
const noResult = (id: string, name = "f") => ({
  role: "tool",
  tool_call_id: id,
  name,
  content: missing,
});
const called = (id: unknown, name: unknown, text: unknown = "{}") => ({
  id,
  type: "function",
  function: { name, arguments: text },
});
const says = (...calls: readonly object[]) => ({
  role: "assistant",
  content: null,
  tool_calls: calls,
});
const text = (value: string, type = "text") => ({ type, text: value });
const system = { role: "system", content: "Be brief." };

const chat: readonly Row[] = [
  ["nothing", [], []],
  [
    "an id that repeats",
    [says(called("get:0", "f")), result("get:0"), says(called("get:0", "f")), result("get:0")],
    [
      says(called("get:0", "f")),
      result("get:0"),
      says(called("get_0_2", "f")),
      { ...result("get:0"), tool_call_id: "get_0_2" },
    ],
    "repeated-id get:0 2",
  ],
  [
    "an id that repeats within a turn, and the one that it would get is taken",
    [
      says(called("a", "f"), called("a", "g"), called("a_2", "h")),
      result("a"),
      result("a"),
      result("a_2"),
    ],
    [
      says(called("a", "f"), called("a_3", "g"), called("a_2", "h")),
      result("a"),
      { ...result("a"), tool_call_id: "a_3" },
      result("a_2"),
    ],
    "repeated-id a 0",
  ],
  [
    "ids that are absent",
    [
      says({ type: "function", function: { name: "f", arguments: "{}" } }, called(null, "g")),
      result(""),
    ],
    [
      says(called("call_without_id_1", "f"), called("call_without_id_2", "g")),
      { ...result(""), tool_call_id: "call_without_id_1" },
      noResult("call_without_id_2", "g"),
    ],
    "missing-id  0, missing-id  0, missing-result  0",
  ],
  [
    "a long id",
    [says(called("x".repeat(40), "f"), called("x".repeat(40), "f"))],
    [
      says(called("x".repeat(40), "f"), called(`${"x".repeat(32)}_2`, "f")),
      noResult("x".repeat(40)),
      noResult(`${"x".repeat(32)}_2`),
    ],
  ],
  [
    "reasoning that is signed under the id of a call",
    [
      asks(["a", "f"]),
      result("a"),
      {
        ...says(called("a", "f"), called("a", "f"), called("b", "f")),
        reasoning_details: [
          { id: "a" },
          { id: "a" },
          { id: "a" },
          { id: "b" },
          { id: "r" },
          {},
          null,
        ],
      },
      result("a"),
      result("a"),
      result("b"),
    ],
    [
      asks(["a", "f"]),
      result("a"),
      {
        ...says(called("a_2", "f"), called("a_3", "f"), called("b", "f")),
        reasoning_details: [
          { id: "a_2" },
          { id: "a_3" },
          { id: "a_3" },
          { id: "b" },
          { id: "r" },
          {},
          null,
        ],
      },
      { ...result("a"), tool_call_id: "a_2" },
      { ...result("a"), tool_call_id: "a_3" },
      result("b"),
    ],
  ],
  [
    "calls without result, also in the last turn",
    [asks(["a", "f"], ["b", "g"]), result("b"), user, asks(["c", "h"])],
    [
      asks(["a", "f"], ["b", "g"]),
      result("b"),
      noResult("a"),
      user,
      asks(["c", "h"]),
      noResult("c", "h"),
    ],
    "missing-result a 0, missing-result c 3",
  ],
  [
    "results without call, and second ones",
    [result("x"), user, asks(["a", "f"]), result("a"), result("a"), user],
    [user, asks(["a", "f"]), result("a"), user],
    "orphan-result x 0, orphan-result a 4",
  ],
  [
    "results behind other messages",
    [
      asks(["a", "f"], ["b", "f"]),
      system,
      user,
      result("b"),
      asks(["c", "f"]),
      result("a"),
      result("c"),
    ],
    [
      asks(["a", "f"], ["b", "f"]),
      result("a"),
      result("b"),
      system,
      user,
      asks(["c", "f"]),
      result("c"),
    ],
    "misplaced-result b 3, misplaced-result a 5",
  ],
  [
    "what is blank or empty",
    [
      { role: "user", content: [text(" "), text("Hi")] },
      { role: "assistant", content: "Hi", tool_calls: [] },
      { role: "assistant", content: [text("")], refusal: null, tool_calls: [], name: "n" },
      { role: "assistant", content: [text("\n")], reasoning_content: "Think." },
      { ...says(called("a", "f")), content: [] },
      result("a"),
      { role: "user", content: " " },
      { role: "developer" },
      null,
      5,
    ],
    [
      { role: "user", content: [text("Hi")] },
      { role: "assistant", content: "Hi" },
      { role: "assistant", content: "", reasoning_content: "Think." },
      { ...says(called("a", "f")), content: "" },
      result("a"),
      null,
      5,
    ],
    "blank-text  0, empty-calls  1, empty-calls  2, blank-text  2, empty-message  2, blank-text  3, " +
      "blank-text  4, empty-message  6, empty-message  7",
  ],
  [
    "arguments that are no JSON object",
    [
      says(
        called("a", "f", '{"x":'),
        called("b", "f", "[1]"),
        called("c", "f", { x: 1 }),
        { id: "d", type: "function", function: { name: "f" } },
        called("e", "f", ' {"x": 1}'),
      ),
      ...["a", "b", "c", "d", "e"].map(result),
    ],
    [
      says(
        called("a", "f"),
        called("b", "f"),
        called("c", "f", '{"x":1}'),
        called("d", "f"),
        called("e", "f", ' {"x": 1}'),
      ),
      ...["a", "b", "c", "d", "e"].map(result),
    ],
    "bad-arguments a 0, bad-arguments b 0, bad-arguments c 0, bad-arguments d 0",
  ],
  [
    "names",
    [
      says(
        called("a", ""),
        called("b", "my tool/é"),
        called("c", "a-b_c.d:e/f"),
        called("d", null),
      ),
      { ...result("a"), name: "" },
      { ...result("b"), name: "my tool/é" },
      result("c"),
      { role: "tool", tool_call_id: "d", content: "" },
    ],
    [
      says(
        called("a", "unnamed_tool"),
        called("b", "my_tool/_"),
        called("c", "a-b_c.d:e/f"),
        called("d", "unnamed_tool"),
      ),
      { ...result("a"), name: "unnamed_tool" },
      { ...result("b"), name: "my_tool/_" },
      result("c"),
      { role: "tool", tool_call_id: "d", content: "" },
    ],
    "bad-name a 0, bad-name b 0, bad-name d 0",
  ],
  [
    "custom calls have free text",
    [
      says(
        { id: "a", type: "custom", custom: { name: "", input: "{" } },
        { id: "b", custom: { name: "g" } },
      ),
    ],
    [
      says(
        { id: "a", type: "custom", custom: { name: "unnamed_tool", input: "{" } },
        { id: "b", custom: { name: "g" } },
      ),
      noResult("a", "unnamed_tool"),
      noResult("b", "g"),
    ],
  ],
  [
    "calls of other kinds, function_call of old",
    [
      says({ id: "m", type: "mcp", mcp: {} }, called("a", "f"), {
        id: "n",
        type: "builtin_function",
        function: { name: "g", arguments: "" },
      }),
      result("m"),
      { role: "assistant", content: null, function_call: { name: "", arguments: "{" } },
    ],
    [
      says({ id: "m", type: "mcp", mcp: {} }, called("a", "f"), {
        id: "n",
        type: "builtin_function",
        function: { name: "g", arguments: "{}" },
      }),
      result("m"),
      noResult("a"),
      noResult("n", "g"),
      { role: "assistant", content: null, function_call: { name: "", arguments: "{" } },
    ],
  ],
];

const use = (id: unknown, name: unknown = "f", input: unknown = {}) => ({
  type: "tool_use",
  id,
  name,
  input,
});
const by = (...content: readonly unknown[]) => ({ role: "assistant", content });
const given = (id: string, content: unknown = id) => ({
  type: "tool_result",
  tool_use_id: id,
  content,
});
const to = (...content: readonly unknown[]) => ({ role: "user", content });
const failed = (id: string) => ({ ...given(id, missing), is_error: true });

const messages: readonly Row[] = [
  [
    "an id that repeats, and one that is absent",
    [uses(["a", "f"]), answers("a"), by(use("a"), use(undefined)), to(given(""), given("a"))],
    [
      uses(["a", "f"]),
      answers("a"),
      by(use("a_2"), use("call_without_id_1")),
      to({ ...given(""), tool_use_id: "call_without_id_1" }, { ...given("a"), tool_use_id: "a_2" }),
    ],
    "repeated-id a 2, missing-id  2",
  ],
  [
    "calls without result, before a user message, an answer and the end",
    [by(use("a")), user, by(use("b")), by(text("Hi")), by(use("c"))],
    [
      by(use("a")),
      to(failed("a"), text("Hi")),
      by(use("b")),
      to(failed("b")),
      by(text("Hi")),
      by(use("c")),
      to(failed("c")),
    ],
    "missing-result a 0, missing-result b 2, missing-result c 4",
  ],
  [
    "results behind text, in several messages, behind a system message",
    [
      by(use("a"), use("b"), use("c")),
      to(text("Well."), given("a")),
      to(given("b"), text("Go on.")),
      system,
      to(given("c")),
    ],
    [
      by(use("a"), use("b"), use("c")),
      to(given("a"), given("b"), given("c"), text("Well.")),
      to(text("Go on.")),
      system,
    ],
    "misplaced-result a 1, misplaced-result b 2, misplaced-result c 4",
  ],
  [
    "a result behind a system message",
    [by(use("a")), system, to(given("a"))],
    [by(use("a")), to(given("a")), system],
    "misplaced-result a 2",
  ],
  [
    "results that the model is said to have given",
    [by(use("a"), given("a"), given("x")), by(given("a"))],
    [by(use("a")), to(given("a"))],
    "misplaced-result a 0, orphan-result x 0, orphan-result a 1",
  ],
  [
    "results without call alone in a message",
    [user, to(given("x")), by(text("Hi"))],
    [user, by(text("Hi"))],
    "orphan-result x 1",
  ],
  [
    "what is blank or empty",
    [
      to(text(""), given("x")),
      by({ type: "thinking", thinking: "T", signature: "s" }, text("\n\n"), use("a")),
      { role: "user", content: "" },
      to(given("a", [text("")]), text(" ")),
      by(text(" ")),
    ],
    [by({ type: "thinking", thinking: "T", signature: "s" }, use("a")), to(given("a", [text("")]))],
    "orphan-result x 0, blank-text  0, blank-text  1, empty-message  2, misplaced-result a 3, " +
      "blank-text  3, blank-text  4, empty-message  4",
  ],
  [
    "names, and input that is no object",
    [
      by(use("a", "my tool", '{"x":1}'), use("b", null, "{"), use("c", "f", [1])),
      to(...["a", "b", "c"].map((id) => given(id))),
    ],
    [
      by(use("a", "my_tool", { x: 1 }), use("b", "unnamed_tool"), use("c")),
      to(...["a", "b", "c"].map((id) => given(id))),
    ],
    "bad-name a 0, bad-arguments a 0, bad-name b 0, bad-arguments b 0, bad-arguments c 0",
  ],
  ["blocks of server tools", [user, searched, user], [user, searched, user]],
];

const item = (id: unknown, name: unknown = "f", args: unknown = "{}") => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: id,
  name,
  arguments: args,
});
const custom = (id: string) => ({ type: "custom_tool_call", call_id: id, name: "g", input: "{" });
const output = (id: string, type = "function_call_output") => ({ type, call_id: id, output: id });
const customOutput = (id: string) => output(id, "custom_tool_call_output");
const reasoning = { type: "reasoning", id: "rs_1", summary: [] };
const said = (content: unknown) => ({
  type: "message",
  id: "msg_1",
  role: "assistant",
  status: "completed",
  content,
});

const responses: readonly Row[] = [
  [
    "an id that repeats; item ids stay",
    [item("a"), output("a"), item("a"), output("a")],
    [item("a"), output("a"), { ...item("a"), call_id: "a_2" }, { ...output("a"), call_id: "a_2" }],
    "repeated-id a 2",
  ],
  [
    "calls without output, each as its type wants it, at the end of their turn",
    [reasoning, item("a"), custom("b"), said([text("Hi", "output_text")]), user, item("c")],
    [
      reasoning,
      item("a"),
      custom("b"),
      said([text("Hi", "output_text")]),
      { ...output("a"), output: missing },
      { ...customOutput("b"), output: missing },
      user,
      item("c"),
      { ...output("c"), output: missing },
    ],
    "missing-result a 1, missing-result b 2, missing-result c 5",
  ],
  [
    "outputs of the wrong type",
    [item("a"), custom("b"), customOutput("a"), output("b")],
    [item("a"), custom("b"), output("a"), customOutput("b")],
    "wrong-result-type a 2, wrong-result-type b 3",
  ],
  [
    "outputs out of place, beside a call of another kind",
    [
      item("a"),
      { type: "shell_call", call_id: "s" },
      { type: "shell_call_output", call_id: "s", output: [] },
      item("b"),
      output("b"),
      user,
      output("a"),
      output("x"),
    ],
    [
      item("a"),
      { type: "shell_call", call_id: "s" },
      { type: "shell_call_output", call_id: "s", output: [] },
      item("b"),
      output("b"),
      output("a"),
      user,
    ],
    "misplaced-result a 6, orphan-result x 7",
  ],
  [
    "a call that an item_reference may stand for",
    [
      { type: "item_reference", id: "fc_1" },
      user,
      output("a"),
      output("a"),
      item("b"),
      output("b"),
    ],
    [{ type: "item_reference", id: "fc_1" }, user, output("a"), item("b"), output("b")],
    "orphan-result a 3",
  ],
  [
    "what is empty, but not behind reasoning",
    [
      said([text("", "output_text")]),
      reasoning,
      output("x"),
      null,
      said([text("", "output_text")]),
      { role: "user", content: [text(" ", "input_text"), text("Hi", "input_text")] },
      reasoning,
      item("a", "", "{"),
      user,
    ],
    [
      reasoning,
      null,
      said([text("", "output_text")]),
      { role: "user", content: [text("Hi", "input_text")] },
      reasoning,
      item("a", "unnamed_tool"),
      { ...output("a"), output: missing },
      user,
    ],
    "blank-text  0, empty-message  0, orphan-result x 2, blank-text  5, missing-result a 7, bad-name a 7, bad-arguments a 7",
  ],
];

const DIALECTS: readonly [name: string, readonly Row[], typeof chatComplaint][] = [
  ["chat", chat, chatComplaint],
  ["messages", messages, messagesComplaint],
  ["responses", responses, responsesComplaint],
];

describe.each(DIALECTS)("mendHistory in the dialect %s", (_name, rows, complaint) => {
  test.each([...rows])("%s", (_title, history, mended, faults) => {
    const before = structuredClone(history);
    const found: HistoryFault[] = [];
    const copy = mendHistory<unknown>(history, { onFault: (fault) => found.push(fault) });
    expect(copy).toEqual(mended);
    expect(history).toEqual(before);
    if (faults !== undefined) {
      expect(found.map(({ code, id, position }) => `${code} ${id} ${position}`).join(", ")).toBe(
        faults,
      );
    }
    expect(findPairingFaults(copy)).toEqual([]);
    expect(mendHistory(copy)).toEqual(copy);
    expect(complaint(copy)).toBeUndefined();
  });
});

test.each<[string, unknown[]]>([
  ["what is no call", [{ role: "assistant", tool_calls: [null, called("a", "f")] }, result("a")]],
  ["what is no message", [null, 5, "text", []]],
  ["a message of no known role", [{ role: "function", content: "" }, { content: "" }]],
  [
    "a user message of no known content",
    [by(use("a")), to(given("a")), { role: "user", content: 5 }],
  ],
])("%s passes", (_title, history) => {
  expect(mendHistory(history)).toEqual(history);
});

test("a result before a message that cannot take it is in one of its own", () => {
  const odd = { role: "user", content: 5 };
  expect(mendHistory<unknown>([by(use("a")), odd])).toEqual([by(use("a")), to(failed("a")), odd]);
});

test("messages without a fault stay the same objects", () => {
  const history = [user, asks(["a", "f"]), result("a"), asks(["b", "f"])];
  const mended = mendHistory<object>(history);
  expect(mended.slice(0, 4).every((message, position) => message === history[position])).toBe(true);
});

test("missingResult is what the model reads, and may be empty", () => {
  const history = [asks(["a", "f"])];
  expect(mendHistory<object>(history, { missingResult: "Cancelled." })[1]).toMatchObject({
    content: "Cancelled.",
  });
  expect(mendHistory<object>(history, { missingResult: "" })[1]).toMatchObject({ content: "" });
});

function refuse(): never {
  throw new Error("No");
}

test("what onFault throws changes nothing", () => {
  expect(mendHistory<object>([asks(["a", "f"])], { onFault: refuse })).toHaveLength(2);
});

test.each([
  [{ missingResult: 5 }, "Cannot use option missingResult: expected a string, got number"],
  [{ onFault: "log" }, 'Cannot use option onFault: expected a function, got "log"'],
])("options of the wrong type: %o", (options, message) => {
  expect(() => mendHistory([], options as never)).toThrow(new TypeError(message));
});

test("the same history gives the same ids, and goes on with them", () => {
  const turn = [says(called("get:0", "f")), result("get:0")];
  const three = mendHistory<object>([...turn, ...turn, ...turn]);
  expect(mendHistory<object>([...turn, ...turn])).toEqual(three.slice(0, 4));
});
