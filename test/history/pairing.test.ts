import { expect, test } from "vitest";
import { findPairingFaults, kimiK2ToolCallIds, type PairingFault } from "../../src/index.ts";
import { answers, asks, result, searched, user, uses } from "./messages.ts";

test.each<[string, unknown[], [PairingFault["code"], string, number][]]>([
  ["nothing", [], []],
  ["text alone", [user, { role: "assistant", content: "Hi" }, null, 5], []],
  ["two turns", [user, asks(["a", "f"]), result("a"), asks(["b", "f"]), result("b")], []],
  ["results in another order", [asks(["a", "f"], ["b", "g"]), result("b"), result("a")], []],
  [
    "an id that comes again in the next turn",
    [asks(["a", "f"]), result("a"), asks(["a", "f"]), result("a")],
    [["repeated-id", "a", 2]],
  ],
  [
    "an id that repeats within a turn",
    [asks(["a", "f"], ["a", "f"]), result("a"), result("a")],
    [["repeated-id", "a", 0]],
  ],
  [
    "a call without result",
    [asks(["a", "f"], ["b", "g"]), result("b"), user],
    [["missing-result", "a", 0]],
  ],
  ["a result without call", [user, result("x")], [["orphan-result", "x", 1]]],
  ["a result too many", [asks(["a", "f"]), result("a"), result("a")], [["orphan-result", "a", 2]]],
  [
    "a result behind another message",
    [asks(["a", "f"]), user, result("a")],
    [["misplaced-result", "a", 2]],
  ],
  [
    "a result behind the next turn",
    [asks(["a", "f"]), asks(["b", "f"]), result("b"), result("a")],
    [["misplaced-result", "a", 3]],
  ],
  [
    "a result before its call",
    [result("a"), asks(["a", "f"])],
    [
      ["orphan-result", "a", 0],
      ["missing-result", "a", 1],
    ],
  ],
  [
    "empty ids, which go by position",
    [asks(["", "f"], ["", "g"]), result(""), result("")],
    [
      ["missing-id", "", 0],
      ["missing-id", "", 0],
    ],
  ],
  [
    "a call of another kind, and its result",
    [
      { role: "assistant", tool_calls: [{ id: "s", type: "mcp", mcp: {} }] },
      user,
      result("s"),
      result("t"),
    ],
    [["orphan-result", "t", 3]],
  ],
])("findPairingFaults: %s", (_name, messages, faults) => {
  expect(findPairingFaults(messages)).toEqual(
    faults.map(([code, id, position]) => ({ code, id, position })),
  );
});

test("ids that are missing, or no text, count as empty ones", () => {
  const idless = { type: "function", function: { name: "f", arguments: "{}" } };
  const messages = [
    { role: "assistant", tool_calls: [idless, { ...idless, id: 5 }] },
    { role: "tool", content: "" },
  ];
  expect(findPairingFaults(messages)).toEqual([
    { code: "missing-id", id: "", position: 0 },
    { code: "missing-id", id: "", position: 0 },
    { code: "missing-result", id: "", position: 0 },
  ]);
});

test.each<[string, unknown[], [PairingFault["code"], string, number][]]>([
  [
    "two turns, with tools of the server",
    [
      user,
      uses(["a", "f"], ["b", "g"]),
      answers("b", "a"),
      searched,
      uses(["c", "f"]),
      answers("c"),
    ],
    [],
  ],
  [
    "results in several messages, which servers join",
    [uses(["a", "f"], ["b", "g"]), answers("a"), answers("b")],
    [],
  ],
  [
    "an id that comes again in the next turn",
    [uses(["a", "f"]), answers("a"), uses(["a", "f"]), answers("a")],
    [["repeated-id", "a", 2]],
  ],
  [
    "an id that repeats within a turn",
    [uses(["a", "f"], ["a", "f"]), answers("a", "a")],
    [["repeated-id", "a", 0]],
  ],
  [
    "a call without result",
    [uses(["a", "f"], ["b", "g"]), answers("b"), user],
    [["missing-result", "a", 0]],
  ],
  [
    "results without call, and too many",
    [answers("x"), uses(["a", "f"]), answers("a", "a")],
    [
      ["orphan-result", "x", 0],
      ["orphan-result", "a", 2],
    ],
  ],
  [
    "a result behind another message",
    [uses(["a", "f"]), user, answers("a")],
    [["misplaced-result", "a", 2]],
  ],
  [
    "a result of an earlier turn, among those of the last",
    [uses(["a", "f"]), uses(["b", "f"]), answers("b", "a")],
    [["misplaced-result", "a", 2]],
  ],
])("findPairingFaults in the messages dialect: %s", (_name, history, faults) => {
  expect(findPairingFaults(history)).toEqual(
    faults.map(([code, id, position]) => ({ code, id, position })),
  );
});

test("a result in the message of its call is out of place", () => {
  const [use] = uses(["a", "f"]).content.slice(1);
  const { content } = answers("a");
  const faults = findPairingFaults([{ role: "assistant", content: [use, ...content] }]);
  expect(faults).toEqual([{ code: "misplaced-result", id: "a", position: 0 }]);
});

const itemCall = (id: string, name: string): object => ({
  type: "function_call",
  call_id: id,
  name,
});
const itemResult = (id: string): object => ({ type: "function_call_output", call_id: id });
const callIdsOf = (items: readonly object[]): unknown[] =>
  kimiK2ToolCallIds(items).flatMap((item) => ("call_id" in item ? [item.call_id] : []));

test.each<[string, object[], string[]]>([
  [
    "the calls of one turn have one id",
    [
      itemCall("a", "f"),
      { type: "reasoning" },
      itemCall("a", "g"),
      itemResult("a"),
      itemResult("a"),
    ],
    ["functions.f:0", "functions.g:1", "functions.f:0", "functions.g:1"],
  ],
  [
    "the id comes again behind a result",
    [itemCall("a", "f"), itemResult("a"), itemCall("a", "g"), itemResult("a")],
    ["functions.f:0", "functions.f:0", "functions.g:1", "functions.g:1"],
  ],
  [
    "the id comes again behind a message, and the first call has no result",
    [itemCall("a", "f"), { role: "user", content: "t" }, itemCall("a", "g"), itemResult("a")],
    ["functions.f:0", "functions.g:1", "functions.g:1"],
  ],
  [
    "text stands between the calls",
    [itemCall("a", "f"), { role: "assistant", content: "t" }, itemCall("a", "g"), itemResult("a")],
    ["functions.f:0", "functions.g:1", "functions.f:0"],
  ],
])("in responses, a result belongs to its call where %s", (_name, items, ids) => {
  expect(callIdsOf(items)).toEqual(ids);
});

const shell = [
  { type: "shell_call", call_id: "s" },
  { type: "shell_call_output", call_id: "s" },
];
const reference = { type: "item_reference", id: "fc_1" };

test.each<[string, unknown[], [PairingFault["code"], string, number][]]>([
  [
    "calls, text and reasoning in a turn, results in another order",
    [
      itemCall("a", "f"),
      { type: "reasoning" },
      { role: "assistant", content: "t" },
      null,
      itemCall("b", "g"),
      itemResult("b"),
      itemResult("a"),
    ],
    [],
  ],
  ["a call beside one of another kind", [itemCall("a", "f"), ...shell, itemResult("a")], []],
  [
    "a result behind a message",
    [itemCall("a", "f"), user, itemResult("a")],
    [["misplaced-result", "a", 2]],
  ],
  [
    "a result behind the next turn",
    [itemCall("a", "f"), itemCall("b", "f"), itemResult("b"), itemCall("c", "f"), itemResult("a")],
    [
      ["missing-result", "c", 3],
      ["misplaced-result", "a", 4],
    ],
  ],
  [
    "results of calls that the server may hold, each once",
    [reference, user, itemResult("a"), itemResult("a"), itemResult("b")],
    [["orphan-result", "a", 3]],
  ],
  ["a reference without type", [{ id: "fc_1" }, itemResult("a")], []],
  ["a reference behind the result", [itemResult("a"), reference], [["orphan-result", "a", 0]]],
  [
    "a second result, behind a reference",
    [itemCall("a", "f"), itemResult("a"), reference, itemResult("a")],
    [["orphan-result", "a", 3]],
  ],
  [
    "the id of a call that the server may hold, again",
    [reference, itemResult("a"), itemCall("a", "f"), itemResult("a")],
    [["repeated-id", "a", 2]],
  ],
])("findPairingFaults in the responses dialect: %s", (_name, items, faults) => {
  expect(findPairingFaults(items)).toEqual(
    faults.map(([code, id, position]) => ({ code, id, position })),
  );
});
