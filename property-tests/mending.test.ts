import * as fc from "fast-check";
import { expect, test } from "vitest";
import { findPairingFaults, mendHistory } from "../src/index.ts";
import {
  chatComplaint,
  messagesComplaint,
  responsesComplaint,
} from "../test/history/strict-validators.ts";
import { parameters } from "./setup.ts";

type Wire = Record<string, unknown>;

/** Of one call: as its dialect writes it. */
interface CallParts {
  readonly id: string;
  readonly name: string;
  readonly input: string;
  readonly isCustom: boolean;
}

interface Turn {
  readonly before: "none" | "user" | "system" | "reference" | "other-kind";
  readonly hasReasoning: boolean;
  readonly text: string;
  readonly calls: readonly CallParts[];
}

const names = fc.constantFrom("get", "set", "a.b:c/d");
/** What each is told by, so that order and loss show. */
const texts = fc.constantFrom("", "Hello", "Go on.");

/** How a dialect writes what is said, calls and results. */
interface Encoder {
  readonly write: (turns: readonly Turn[]) => Wire[];
  readonly complaint: (history: readonly unknown[]) => string | undefined;
  readonly breakEntry: (message: Wire, seed: number) => Wire;
}

let said = 0;
const words = (text: string): string => (text === "" ? text : `${text} ${(said += 1)}`);

const ODD_IDS = ["", "a", "a", "b", "a_2", "call_without_id_1", 5, undefined];
const ODD_NAMES = ["", "my tool", "é", undefined, "get"];
const ODD_ARGUMENTS = ["", '{"a":', "[1]", "12", undefined, { a: 1 }, '{"b":2}'];
const at = (list: readonly unknown[], seed: number): unknown => list[seed % list.length];

function brokenCall(call: Wire, seed: number): Wire {
  if (call["type"] === "mcp") return call;
  if (seed % 3 === 0) return { ...call, id: at(ODD_IDS, seed >> 2) };
  if (call["type"] !== "function") return call;
  const body = call["function"] as Wire;
  return seed % 3 === 1
    ? { ...call, function: { ...body, name: at(ODD_NAMES, seed >> 2) } }
    : { ...call, function: { ...body, arguments: at(ODD_ARGUMENTS, seed >> 2) } };
}

function brokenBlock(block: Wire, seed: number): Wire {
  if (block["type"] === "tool_result") return { ...block, tool_use_id: at(ODD_IDS, seed >> 2) };
  if (block["type"] !== "tool_use") return block;
  if (seed % 5 === 2) return { ...block, id: at(ODD_IDS, seed >> 2) };
  if (seed % 5 === 3) return { ...block, name: at(ODD_NAMES, seed >> 2) };
  return { ...block, input: at(ODD_ARGUMENTS, seed >> 2) };
}

const chat: Encoder = {
  write: (turns) =>
    turns.flatMap(({ before, hasReasoning, text, calls }): Wire[] => {
      const list: Wire[] = [];
      if (before === "user" || before === "system")
        list.push({ role: before, content: words("Hi") });
      const foreign = before === "other-kind" ? [{ id: `m${said}`, type: "mcp", mcp: {} }] : [];
      const toolCalls = calls.map(({ id, name, input, isCustom }) =>
        isCustom
          ? { id, type: "custom", custom: { name, input } }
          : { id, type: "function", function: { name, arguments: input } },
      );
      const message: Wire = { role: "assistant", content: text === "" ? null : words(text) };
      if (hasReasoning) message["reasoning_content"] = words("Think");
      if (hasReasoning) message["reasoning_details"] = calls.map(({ id }) => ({ id }));
      if (calls.length + foreign.length > 0) message["tool_calls"] = [...foreign, ...toolCalls];
      if (Object.values(message).filter(Boolean).length > 1) list.push(message);
      for (const { id } of calls)
        list.push({ role: "tool", tool_call_id: id, content: words("r") });
      return list;
    }),
  complaint: chatComplaint,
  breakEntry(message, seed) {
    if (message["role"] === "tool") return { ...message, tool_call_id: at(ODD_IDS, seed) };
    const calls = message["tool_calls"];
    if (!Array.isArray(calls)) {
      const odd = [[], "", " ", [{ type: "text", text: " " }]];
      return seed % 2 === 0
        ? { ...message, tool_calls: [] }
        : { ...message, content: at(odd, seed >> 1) };
    }
    const broken = calls.map((call: Wire) => brokenCall(call, seed));
    return { ...message, tool_calls: broken };
  },
};

const messagesDialect: Encoder = {
  write: (turns) => {
    const list: Wire[] = [{ role: "user", content: words("Hi") }];
    for (const { before, hasReasoning, text, calls } of turns) {
      if (before === "user") list.push({ role: "user", content: words("Hi") });
      if (before === "system") list.push({ role: "system", content: words("Hi") });
      const content: Wire[] = [];
      if (hasReasoning) content.push({ type: "thinking", thinking: words("T"), signature: "s" });
      if (text !== "") content.push({ type: "text", text: words(text) });
      if (before === "other-kind") {
        content.push({ type: "server_tool_use", id: "s", name: "search", input: {} });
        content.push({ type: "web_search_tool_result", tool_use_id: "s", content: [] });
      }
      for (const { id, name, input } of calls) {
        content.push({ type: "tool_use", id, name, input: JSON.parse(input) });
      }
      if (content.length > 0) list.push({ role: "assistant", content });
      if (calls.length === 0) continue;
      const results: Wire[] = calls.map(({ id }) => ({
        type: "tool_result",
        tool_use_id: id,
        content: words("r"),
      }));
      if (text === "Hello") results.push({ type: "text", text: words("Go on.") });
      list.push({ role: "user", content: results });
    }
    return list;
  },
  complaint: messagesComplaint,
  breakEntry(message, seed) {
    const { content } = message;
    if (!Array.isArray(content)) return { ...message, content: at(["", " ", []], seed) };
    if (seed % 5 === 0)
      return { ...message, content: content.map((_, index) => content.at(-1 - index)) };
    if (seed % 5 === 1) return { ...message, content: [{ type: "text", text: " " }, ...content] };
    return {
      ...message,
      content: content.map((block: Wire) => brokenBlock(block, seed)),
    };
  },
};

const responses: Encoder = {
  write: (turns) =>
    turns.flatMap(({ before, hasReasoning, text, calls }): Wire[] => {
      const list: Wire[] = [];
      if (before === "user" || before === "system")
        list.push({ role: before, content: words("Hi") });
      if (before === "reference") list.push({ type: "item_reference", id: `fc_${words("r")}` });
      if (hasReasoning && text + calls.join("") !== "")
        list.push({ type: "reasoning", id: words("rs") });
      const content = [{ type: "output_text", text: words(text) }];
      if (text !== "") list.push({ type: "message", role: "assistant", content });
      for (const { id, name, input, isCustom } of calls) {
        list.push(
          isCustom
            ? { type: "custom_tool_call", call_id: id, name, input }
            : { type: "function_call", id: words("fc"), call_id: id, name, arguments: input },
        );
      }
      if (before === "other-kind") {
        list.push({ type: "shell_call", call_id: words("s") });
        list.push({ type: "shell_call_output", call_id: words("s") });
      }
      for (const { id, isCustom } of calls) {
        const type = isCustom ? "custom_tool_call_output" : "function_call_output";
        list.push({ type, call_id: id, output: words("r") });
      }
      return list;
    }),
  complaint: responsesComplaint,
  breakEntry(item, seed) {
    if ("role" in item) {
      const odd = ["", [], [{ type: "input_text", text: "" }]];
      return { ...item, content: at(odd, seed) };
    }
    if (!/^(?:function|custom)/.test(`${item["type"]}`)) return item;
    if (seed % 4 === 0 && "output" in item) return { ...item, type: "function_call_output" };
    if (seed % 4 === 1 || "output" in item) return { ...item, call_id: at(ODD_IDS, seed >> 2) };
    if (seed % 4 === 2) return { ...item, name: at(ODD_NAMES, seed >> 2) };
    return "arguments" in item ? { ...item, arguments: at(ODD_ARGUMENTS, seed >> 2) } : item;
  },
};

const turnsArbitrary = fc
  .array(
    fc.record({
      before: fc.constantFrom("none", "user", "system", "reference", "other-kind"),
      hasReasoning: fc.boolean(),
      text: texts,
      calls: fc.array(
        fc.record({
          name: names,
          input: fc.constantFrom("{}", '{"a": 1}'),
          isCustom: fc.boolean(),
        }),
        { maxLength: 3 },
      ),
    }),
    { maxLength: 5 },
  )
  .map((turns): Turn[] => {
    let count = 0;
    const withId = (call: Omit<CallParts, "id">): CallParts => ({
      ...call,
      id: `c${(count += 1)}`,
    });
    return turns.map((turn) => Object.assign(turn, { calls: turn.calls.map(withId) }) as Turn);
  });

interface Mutation {
  readonly kind: "drop" | "repeat" | "move" | "break" | "noise";
  readonly place: number;
  readonly to: number;
}

const mutations: fc.Arbitrary<readonly Mutation[]> = fc.array(
  fc.record({
    kind: fc.constantFrom("drop", "repeat", "move", "break", "break", "noise"),
    place: fc.nat(1000),
    to: fc.nat(1000),
  }),
  { maxLength: 8 },
);

function mutilated(history: readonly Wire[], steps: readonly Mutation[], { breakEntry }: Encoder) {
  const list: (Wire | null)[] = [...history];
  for (const { kind, place, to } of steps) {
    if (list.length === 0) break;
    const position = place % list.length;
    const message = list[position] ?? null;
    if (kind === "drop") list.splice(position, 1);
    else if (kind === "repeat") list.splice(to % list.length, 0, message);
    else if (kind === "noise") list.splice(position, 0, null);
    else if (kind === "move") {
      list.splice(position, 1);
      list.splice(to % (list.length + 1), 0, message);
    } else if (message !== null) list[position] = breakEntry(message, to);
  }
  return list;
}

/** What user and model said, in its order: all but results, ids, names, arguments and blank texts. */
function saidIn(history: readonly unknown[]): string[] {
  return history.flatMap((message) => {
    if (typeof message !== "object" || message === null) return ["null"];
    const { role, type, content, tool_calls: calls, reasoning_content: thought } = message as Wire;
    if (role === "tool" || /^(?:function|custom).*_output$/.test(`${type}`)) return [];
    if (role === undefined) return [`${type} ${(message as Wire)["id"]}`];
    const blocks = Array.isArray(content) ? content : [{ type: "text", text: content ?? "" }];
    return [
      thought ?? "",
      ...blocks
        .filter((block: Wire) => block["type"] !== "tool_result")
        .map((block: Wire) => block["text"] ?? block["thinking"] ?? block["type"]),
      ...(Array.isArray(calls) ? calls.map((call: Wire) => call["type"]) : []),
    ]
      .filter((text) => `${text}`.trim() !== "")
      .map((text) => `${role} ${text}`);
  });
}

const DIALECTS: readonly [string, Encoder][] = [
  ["chat", chat],
  ["messages", messagesDialect],
  ["responses", responses],
];

const historyOf = (encoder: Encoder) =>
  fc.tuple(turnsArbitrary, mutations).map(([turns, steps]) => {
    said = 0;
    return mutilated(encoder.write(turns), steps, encoder);
  });

// Seen to fail with ids given to repeated ones alone, and with misplaced results kept, in mend.ts.
test.each(DIALECTS)("Mending: a mended history has no fault: %s", (_name, encoder) => {
  fc.assert(
    fc.property(historyOf(encoder), (history) => {
      const mended = mendHistory<unknown>(history);
      expect(findPairingFaults(mended)).toEqual([]);
      expect(encoder.complaint(mended)).toBeUndefined();
    }),
    parameters(),
  );
});

// Seen to fail with `withField` that always copies in mend.ts.
test.each(DIALECTS)("Mending: mending twice changes nothing: %s", (_name, encoder) => {
  fc.assert(
    fc.property(historyOf(encoder), (history) => {
      const before = structuredClone(history);
      const faults: unknown[] = [];
      const mended = mendHistory<unknown>(history);
      const again = mendHistory(mended, { onFault: (fault) => faults.push(fault) });
      expect(faults).toEqual([]);
      expect(again.length).toBe(mended.length);
      for (const [position, message] of again.entries()) expect(message).toBe(mended[position]);
      expect(history).toEqual(before);
    }),
    parameters(),
  );
});

// Seen to fail with results of a stretch due only at its end in mend.ts.
test.each(DIALECTS)(
  "Mending: what servers accept stays, object by object: %s",
  (_name, encoder) => {
    fc.assert(
      fc.property(turnsArbitrary, mutations, (turns, steps) => {
        said = 0;
        const whole = encoder.write(turns);
        expect(encoder.complaint(whole)).toBeUndefined();
        for (const history of [whole, mutilated(whole, steps, encoder)]) {
          if (findPairingFaults(history).length > 0) continue;
          if (encoder.complaint(history) !== undefined) continue;
          const mended = mendHistory<unknown>(history);
          expect(mended.length).toBe(history.length);
          for (const [position, message] of mended.entries())
            expect(message).toBe(history[position]);
        }
      }),
      parameters(),
    );
  },
);

// Seen to fail with system messages taken for empty ones in mend.ts.
test.each(DIALECTS)("Mending: nothing that was said goes, or moves: %s", (_name, encoder) => {
  fc.assert(
    fc.property(historyOf(encoder), (history) => {
      expect(saidIn(mendHistory<unknown>(history))).toEqual(saidIn(history));
    }),
    parameters(),
  );
});
