import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { JsonObject, MessagesBlock } from "../src/index.ts";
import { sse } from "../test/bodies.ts";
import {
  blockDelta,
  blockStart,
  blockStop,
  ending,
  input,
  messageStart,
} from "../test/messages-events.ts";
import { messagesMessage } from "../test/messages-message.ts";
import { merged } from "./encoder.ts";
import { pieces } from "./fragments.ts";
import { objectTextArbitrary, textArbitrary } from "./json-text.ts";
import { readSteps } from "./reading.ts";
import { parameters } from "./setup.ts";

/** How the server streams the blocks of a message. */
interface Manner {
  /** The lengths of the pieces, cyclically; none: one piece. */
  readonly lengths: readonly number[];
  /** The next block begins before the one before it has ended. */
  readonly merge: readonly number[];
  /** Whether a block comes whole in its start; else its first text, or nothing. */
  readonly start: "whole" | "first" | "empty";
  readonly hasStops: boolean;
  readonly hasPings: boolean;
  /** The list of citations in the start of a block that has some, beside those that deltas bring. */
  readonly hasCitationsInStart: boolean;
  readonly firstIndex: number;
}

const mannerArbitrary: fc.Arbitrary<Manner> = fc.record({
  lengths: fc.array(fc.integer({ min: 1, max: 5 }), { maxLength: 3 }),
  merge: fc.array(fc.nat({ max: 9 }), { maxLength: 8 }),
  start: fc.constantFrom<Manner["start"]>("whole", "first", "empty"),
  hasStops: fc.boolean(),
  hasPings: fc.boolean(),
  hasCitationsInStart: fc.boolean(),
  firstIndex: fc.constantFrom(0, 1, 7),
});

/** Nothing that has a meaning in the blocks that have it: ids would be those of calls. */
const fieldsArbitrary: fc.Arbitrary<JsonObject> = fc
  .dictionary(fc.constantFrom("x_note", "x_data", "__proto__"), fc.jsonValue({ maxDepth: 2 }), {
    maxKeys: 2,
  })
  // A field that is null is absent.
  .map((fields) =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== null)),
  );

const inputArbitrary = objectTextArbitrary.map(({ value }) => value as JsonObject);

const citationArbitrary = fc.record({
  type: fc.constantFrom("page_location", "char_location"),
  cited_text: textArbitrary,
  document_title: fc.option(textArbitrary),
});

const textBlock = fc.record(
  { type: fc.constant("text"), text: textArbitrary, citations: fc.array(citationArbitrary) },
  { requiredKeys: ["type", "text"] },
);
const thinkingBlock = fc.record({
  type: fc.constant("thinking"),
  thinking: textArbitrary,
  signature: fc.base64String(),
});
const redactedBlock = fc.record({
  type: fc.constant("redacted_thinking"),
  data: fc.base64String(),
});
const callBlock = fc.record({ type: fc.constant("tool_use"), input: inputArbitrary });
const serverToolBlocks = fc
  .record({ input: inputArbitrary, found: fc.array(fc.jsonValue({ maxDepth: 1 })) })
  .map(({ input: query, found }) => [
    { type: "server_tool_use", name: "search", input: query },
    { type: "search_tool_result", content: found },
  ]);
const unknownBlock = fc.record({
  type: fc.constantFrom("compaction", "x"),
  content: textArbitrary,
});

const blocksArbitrary: fc.Arbitrary<readonly MessagesBlock[]> = fc
  .array(
    fc.oneof(
      ...[textBlock, thinkingBlock, redactedBlock, callBlock, unknownBlock].map((block) =>
        fc
          .tuple(block as fc.Arbitrary<MessagesBlock>, fieldsArbitrary)
          .map(([known, fields]): MessagesBlock[] => [{ ...fields, ...known }]),
      ),
      serverToolBlocks,
    ),
    { maxLength: 5 },
  )
  // As JSON has them: it knows no -0, and `__proto__` is a key like any other.
  .map((groups) => JSON.parse(JSON.stringify(groups.flat().map(named))));

/** The ids of calls differ, and so do those of the tools that the server runs. */
function named(block: MessagesBlock, position: number): MessagesBlock {
  if (block.type === "tool_use") return { ...block, id: `toolu_${position}`, name: `f${position}` };
  if (block.type === "server_tool_use") return { ...block, id: `srvtoolu_${position}` };
  // A result stands behind its tool.
  if (block.type === "search_tool_result") {
    return { ...block, tool_use_id: `srvtoolu_${position - 1}` };
  }
  return block;
}

/** By the field that comes in pieces: the type of its deltas. */
const DELTA_TYPES: Readonly<Record<string, string>> = {
  text: "text_delta",
  thinking: "thinking_delta",
  content: "compaction_delta",
};

/** The start of a block, and what its deltas bring. */
function eventsOf(block: MessagesBlock, position: number, manner: Manner): object[] {
  const index = manner.firstIndex + position;
  const start: Record<string, unknown> = { ...block };
  const deltas: object[] = [];
  if (manner.start !== "whole") {
    for (const [field, type] of Object.entries(DELTA_TYPES)) {
      const value = block[field];
      if (typeof value !== "string") continue;
      const texts = pieces(value, manner.lengths);
      start[field] = manner.start === "first" ? (texts.shift() ?? "") : "";
      deltas.push(...texts.map((piece) => blockDelta(index, { type, [field]: piece })));
    }
    const { citations, signature } = block;
    if (Array.isArray(citations)) {
      const count = manner.hasCitationsInStart ? 1 : 0;
      start["citations"] = citations.slice(0, count);
      const rest = citations.slice(count);
      deltas.unshift(
        ...rest.map((citation) => blockDelta(index, { type: "citations_delta", citation })),
      );
    }
    // What no one has defined comes whole; calls have it in their start.
    for (const field of ["x_note", "x_data"]) {
      const value = block[field] ?? "";
      if (block.type === "tool_use" || value === "") continue;
      delete start[field];
      deltas.push(blockDelta(index, { type: "x_delta", [field]: value }));
    }
    // A signature comes alone, and whole.
    if (signature !== undefined) {
      start["signature"] = "";
      deltas.push(blockDelta(index, { type: "signature_delta", signature }));
    }
    if (block["input"] !== undefined) {
      start["input"] = {};
      const texts = pieces(JSON.stringify(block["input"]), manner.lengths);
      deltas.push(input(index, ""), ...texts.map((piece) => input(index, piece)));
    }
  }
  return [
    blockStart(index, start),
    ...deltas,
    ...(manner.hasStops ? [blockStop(index)] : []),
  ].flatMap((event) => (manner.hasPings ? [event, { type: "ping" }] : [event]));
}

// Seen to fail with `before` taken to be no JoinedList in joined, and with text blocks of white space left
// in.
test("The message is what the server would have sent: messages", () => {
  fc.assert(
    fc.property(blocksArbitrary, mannerArbitrary, (blocks, manner) => {
      const strands = blocks.map((block, position) => eventsOf(block, position, manner));
      // Starts come in order; whatever else a block has may come between those of others.
      const events = merged(strands, manner.merge);
      const { completion, error } = readSteps([sse(messageStart(), ...events, ...ending)]);
      expect(error).toBeUndefined();
      const order = events.flatMap((event) => {
        const { type, index } = event as { type: string; index?: number };
        return type === "content_block_start" ? [(index ?? 0) - manner.firstIndex] : [];
      });
      const fresh = new Map(completion.toolCalls.map(({ providerId, id }) => [providerId, id]));
      const whole = order
        .flatMap((position) => blocks[position] ?? [])
        .filter(({ type, text }) => type !== "text" || `${text}`.trim() !== "")
        .map((block) => {
          const id = block.type === "tool_use" ? fresh.get(`${block["id"]}`) : block["id"];
          // Not `Object.assign`: a field may be named `__proto__`.
          return Object.fromEntries([
            ...Object.entries(block),
            ...(id === undefined ? [] : [["id", id]]),
          ]);
        });
      expect(messagesMessage(completion)?.content).toEqual(whole);
    }),
    parameters(),
  );
});
