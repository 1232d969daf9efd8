import * as fc from "fast-check";
import { expect, test } from "vitest";
import { type ChatEvent, type JsonObject, ToolCallAssembler } from "../src/index.ts";
import { parameters } from "./setup.ts";

interface Part extends JsonObject {
  readonly type: string;
  readonly text?: string;
  readonly refusal?: string;
}

interface Item extends JsonObject {
  readonly type: string;
  readonly id: string;
  readonly summary?: readonly Part[];
  readonly content?: readonly Part[];
}

/** How a server streams an item. */
interface Way {
  readonly hasStart: boolean;
  readonly hasEnd: boolean;
  /** Whether nothing comes before the whole response, if that has the item. */
  readonly isOnlyWhole: boolean;
  /** Whether the whole response has the item. */
  readonly isInWhole: boolean;
  /** Whether pieces, the whole text and the whole part come, of each part. */
  readonly texts: readonly { pieces: boolean; text: boolean; part: boolean }[];
  /** Whether the pieces come behind the end. */
  readonly isLate: boolean;
}

const word = fc.string({ unit: fc.constantFrom(..."abc 😀"), minLength: 1, maxLength: 6 });

function partsOf(...types: string[]): fc.Arbitrary<Part[]> {
  const part = fc.record({
    type: fc.constantFrom(...types),
    text: word,
    annotations: fc.boolean(),
  });
  return fc.array(part, { maxLength: 3 }).map((parts) =>
    parts.map(({ type, text, annotations }) => {
      if (type === "refusal") return { type, refusal: text };
      if (type !== "output_text") return { type, text };
      return { type, text, annotations: annotations ? [{ type: "url_citation", url: "u" }] : [] };
    }),
  );
}

/** All but the id of an item. */
const bodyArbitrary: fc.Arbitrary<JsonObject & { readonly type: string }> = fc.oneof(
  fc.record(
    {
      type: fc.constant("reasoning"),
      summary: partsOf("summary_text"),
      // Some servers call them so.
      content: partsOf("reasoning_text", "output_text"),
      encrypted_content: fc.constant("enc"),
    },
    { requiredKeys: ["type", "summary"] },
  ),
  fc.record({
    type: fc.constant("message"),
    role: fc.constant("assistant"),
    status: fc.constant("completed"),
    content: partsOf("output_text", "refusal"),
  }),
  fc.record({
    type: fc.constant("function_call"),
    name: word.map((name) => `f_${name.trim()}`),
    arguments: fc.nat(99).map((n) => `{"n":${n}}`),
    status: fc.constant("completed"),
  }),
  fc.record({
    type: fc.constant("custom_tool_call"),
    name: fc.constant("sh"),
    input: word,
    status: fc.constant("completed"),
  }),
  fc.constant({ type: "compaction", encrypted_content: "enc" }),
  fc.constant({ type: "web_search_call", status: "completed", action: { query: "q" } }),
  fc.constant({ type: "function_call_output", output: "4 m", status: "completed" }),
);

const outputArbitrary: fc.Arbitrary<Item[]> = fc
  .array(bodyArbitrary, { maxLength: 6 })
  .map((bodies) => {
    let callId = "call_of_the_server";
    return bodies.map((body, index) => {
      const isOutput = body.type.endsWith("_output");
      if (isCall(body)) callId = `call_${index}`;
      return {
        ...body,
        id: `item_${index}`,
        ...((isCall(body) || isOutput) && { call_id: callId }),
      };
    });
  });

const wayArbitrary: fc.Arbitrary<Way> = fc.record({
  hasStart: fc.boolean(),
  hasEnd: fc.boolean(),
  isOnlyWhole: fc.boolean(),
  isInWhole: fc.boolean(),
  texts: fc.array(fc.record({ pieces: fc.boolean(), text: fc.boolean(), part: fc.boolean() }), {
    minLength: 6,
    maxLength: 6,
  }),
  isLate: fc.boolean(),
});

function isCall({ type }: { readonly type: string }): boolean {
  return type === "function_call" || type === "custom_tool_call";
}

function listedParts({ summary = [], content = [] }: Item) {
  return [
    ...summary.map((part, index) => ({ part, index, kind: "reasoning_summary" })),
    ...content.map((part, index) => ({ part, index, kind: kindOf(part) })),
  ];
}

function kindOf({ type }: Part): string {
  return type === "refusal" ? type : type.replace("_text", "");
}

/** The way of each item, so that the events tell all of it. */
function fitted(
  output: readonly Item[],
  ways: readonly Way[],
  whole: "all" | "some" | "none",
  hasIndices: boolean,
): Way[] {
  const fits = output.map((_item, index): Way => {
    const way = ways[index % ways.length] as Way;
    const isInWhole = whole === "all" || (whole === "some" && way.isInWhole);
    return Object.assign({}, way, { isInWhole, isOnlyWhole: isInWhole && way.isOnlyWhole });
  });
  // Of a type, an item that is not in the whole response might else be one that is only there.
  const missing = new Set(output.filter((_, index) => !fits[index]?.isInWhole).map((i) => i.type));
  return fits.map((way, index): Way => {
    const item = output[index] as Item;
    const isOnlyWhole = way.isOnlyWhole && !missing.has(item.type);
    // Without its start, text by that name is an answer.
    const isMisnamed =
      item.type === "reasoning" &&
      item.content?.some(({ type }) => type === "output_text") === true;
    // Without indices, ids may change with each event: then only starts and ends tell items apart.
    const hasStart = way.hasStart || isMisnamed || !hasIndices;
    const hasEnd = way.hasEnd || missing.has(item.type) || !hasIndices;
    return Object.assign({}, way, { isOnlyWhole, hasStart, hasEnd });
  });
}

function eventsOf(item: Item, way: Way, fields: JsonObject): JsonObject[] {
  if (way.isOnlyWhole) return [];
  const event = (type: string, rest: JsonObject) => ({
    type: `response.${type}`,
    ...fields,
    ...rest,
  });
  const start = {
    ...item,
    ...("status" in item && { status: "in_progress" }),
    ...("summary" in item && { summary: [] }),
    ...("content" in item && { content: [] }),
    ...("arguments" in item && { arguments: "" }),
    ...("input" in item && { input: "" }),
  };
  const pieces: JsonObject[] = [];
  const wholes: JsonObject[] = [];
  for (const [number, { part, index, kind }] of listedParts(item).entries()) {
    const { pieces: hasPieces, text: hasText, part: hasPart } = way.texts[number] ?? NO_TEXTS;
    const isSummary = kind === "reasoning_summary";
    const place = { item_id: item.id, [isSummary ? "summary_index" : "content_index"]: index };
    const field = kind === "refusal" ? "refusal" : "text";
    const name = kind === "refusal" ? kind : `${kind}_text`;
    const text = `${part[field]}`;
    if (hasPieces) {
      for (const delta of text) pieces.push(event(`${name}.delta`, { ...place, delta }));
    }
    if (hasText) wholes.push(event(`${name}.done`, { ...place, [field]: text }));
    const partName = isSummary ? "reasoning_summary_part" : "content_part";
    if (hasPart) wholes.push(event(`${partName}.done`, { ...place, part }));
  }
  const opening = way.hasStart ? [event("output_item.added", { item: start })] : [];
  const end = way.hasEnd ? [event("output_item.done", { item })] : [];
  return way.isLate
    ? [...opening, ...wholes, ...end, ...pieces]
    : [...opening, ...pieces, ...wholes, ...end];
}

const NO_TEXTS = { pieces: false, text: false, part: false };

/** The events of all items, those of one in order. */
function merged(strands: readonly JsonObject[][], picks: readonly number[]): JsonObject[] {
  const rest = strands.map((strand) => strand.slice());
  const events: JsonObject[] = [];
  for (let count = 0; ; count += 1) {
    const open = rest.filter((strand) => strand.length > 0);
    const strand = open[(picks[count % Math.max(picks.length, 1)] ?? 0) % Math.max(open.length, 1)];
    if (strand === undefined) return events;
    events.push(strand.shift() as JsonObject);
  }
}

function charactersOf(texts: readonly string[]): string[] {
  return [...texts.join("")].sort();
}

function shownAs(events: readonly ChatEvent[], type: "text" | "reasoning"): string[] {
  return charactersOf(events.flatMap((event) => (event.type === type ? [event.text] : [])));
}

// Seen to fail with `false` for the condition in PartText.append.
test("The message is what the server would have sent: responses", () => {
  fc.assert(
    fc.property(
      outputArbitrary,
      fc.array(wayArbitrary, { minLength: 6, maxLength: 6 }),
      fc.constantFrom<("all" | "some" | "none")[]>("all", "some", "none"),
      fc.boolean(),
      fc.array(fc.nat(9), { maxLength: 30 }),
      (output, allWays, wanted, hasIndices, picks) => {
        // Without indices and the whole response, the order is that of the events.
        const isOrdered = hasIndices || wanted === "all";
        const whole = isOrdered ? wanted : "none";
        const ways = fitted(output, allWays, whole, hasIndices);
        const strands = output.map((item, index) =>
          eventsOf(item, ways[index] as Way, hasIndices ? { output_index: index } : {}),
        );
        const events = merged(isOrdered ? strands : [strands.flat()], picks);
        const inWhole = output.filter((_, index) => ways[index]?.isInWhole);

        const assembler = new ToolCallAssembler();
        const response = { id: "r", status: "completed", output: inWhole };
        const all = [...events, { type: "response.completed", response, sequence_number: 7 }];
        const found = [...all.flatMap((event) => assembler.push(event)), ...assembler.end()];
        const { message, toolCalls, response: said } = assembler.snapshot();

        const ids = new Map(toolCalls.map(({ providerId, id }) => [providerId, id]));
        const written = output.map(({ id, ...item }) => {
          const isWithoutId =
            isCall(item) || item.type === "message" || item["encrypted_content"] !== undefined;
          const callId = item["call_id"];
          return {
            ...item,
            ...((!isWithoutId || item.type === "compaction") && { id }),
            ...(typeof callId === "string" && { call_id: ids.get(callId) ?? callId }),
          };
        });
        expect(message ?? []).toEqual(written);
        expect(said).toEqual({ id: "r", status: "completed", sequence_number: 7 });

        const textsOf = (isReasoning: boolean): string[] => {
          const items = output.filter(({ type }) => (type === "reasoning") === isReasoning);
          const parts = items.flatMap((item) => listedParts(item));
          return charactersOf(parts.map(({ part }) => part.text ?? ""));
        };
        expect(shownAs(found, "text")).toEqual(textsOf(false));
        expect(shownAs(found, "reasoning")).toEqual(textsOf(true));
      },
    ),
    parameters(),
  );
});
