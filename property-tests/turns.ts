import * as fc from "fast-check";
import type { JsonObject } from "../src/index.ts";
import {
  type JsonValue,
  jsonTextArbitrary,
  objectTextArbitrary,
  textArbitrary,
} from "./json-text.ts";

/**
 * What the model wrote as the input of a call.
 *
 * - `json`: the text of a JSON value
 * - `nothing`: no text at all
 * - `free`: the free text of a custom call
 * - `cut`: JSON that the model never finished
 * - `broken`: text that no continuation makes JSON
 */
export type InputKind = "json" | "nothing" | "free" | "cut" | "broken";

/** A call as the model means it, however a server puts it on the wire. */
export interface ModelCall {
  /** `""` if none ever comes. */
  readonly name: string;
  /** The id that the server gave it, if it gave one. */
  readonly id: string | undefined;
  readonly kind: InputKind;
  readonly text: string;
  /** What the text stands for, if it is JSON. */
  readonly value: JsonValue | undefined;
  /** Fields that nobody defined. */
  readonly extra: JsonObject | undefined;
}

export interface ModelChoice {
  readonly reasoning: string;
  readonly content: string;
  readonly calls: readonly ModelCall[];
  readonly finishReasons: readonly string[];
}

/**
 * A turn of a model.
 *
 * `end` is how the response ends: with the dialect's own end, with the end of the body alone, or
 * with an error that the server reports.
 */
export interface ModelTurn {
  readonly choices: readonly ModelChoice[];
  readonly usage: JsonObject | undefined;
  readonly end: "done" | "body" | "error";
}

/** Whether nothing can follow the arguments: such a call comes out before the end. */
export function isEager({ kind, name, value }: ModelCall): boolean {
  if (kind !== "json" || name === "") return false;
  return typeof value === "object" && value !== null && Object.keys(value).length > 0;
}

export function isJsonObject(
  value: JsonValue | undefined,
): value is { readonly [key: string]: JsonValue } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** White space around a name is not part of it, so names here have none. */
const nameArbitrary = fc.oneof(
  {
    arbitrary: fc.constantFrom(
      "get_weather",
      "get_time",
      "read",
      "read_file",
      "a",
      "aa",
      "mcp:x.y",
    ),
    weight: 5,
  },
  {
    arbitrary: textArbitrary.map((text) => text.replace(/\s/g, "")).filter((text) => text !== ""),
    weight: 1,
  },
);

/** Ids that look as if they were random, also those that are made of what repeats. */
export const randomLookingId: fc.Arbitrary<string> = fc.constantFrom(
  "call_8s9dKfj20sKdjfEwoQ2kdjsl",
  "toolu_01A09q90qw90lq917835lq9X",
  "call_3f2b8c1e9a4d4e6f8b7a0c1d2e3f4a5b",
  "aB3dE5gH7",
  "call_f0__thought__c2ln",
);

/** Some servers give a fresh id to each call, some number them, some repeat themselves. */
const idArbitrary = fc.oneof(
  { arbitrary: randomLookingId, weight: 1 },
  { arbitrary: fc.nat().map((number) => `call_${number.toString(36)}`), weight: 3 },
  { arbitrary: fc.constantFrom("get_weather:0", "functions.read:0", "0", "call_0"), weight: 3 },
  { arbitrary: fc.string({ minLength: 1, maxLength: 5 }), weight: 1 },
  { arbitrary: fc.constant(undefined), weight: 1 },
);

type Input = Pick<ModelCall, "kind" | "text" | "value">;

const jsonInput = fc
  .oneof({ arbitrary: objectTextArbitrary, weight: 4 }, { arbitrary: jsonTextArbitrary, weight: 1 })
  .map(({ text, value }): Input => {
    // A string that holds an object counts as arguments encoded twice; the encoder makes those.
    if (typeof value === "string" && value.trim().startsWith("{")) {
      return { kind: "json", text: `"x${text.trim().slice(1)}`, value: `x${value}` };
    }
    return { kind: "json", text, value };
  });

const faultyInput = fc
  .tuple(objectTextArbitrary, fc.nat({ max: 999 }), fc.boolean())
  .map(([{ text }, position, isCut]): Input => {
    const json = text.trimStart();
    if (!isCut) return { kind: "broken", text: `{'${json.slice(1)}`, value: undefined };
    // At least the brace, never all of it.
    const length = 1 + (position % (json.length - 1));
    return { kind: "cut", text: json.slice(0, length), value: undefined };
  });

const inputArbitrary: fc.Arbitrary<Input> = fc.oneof(
  { arbitrary: jsonInput, weight: 12 },
  { arbitrary: fc.constant<Input>({ kind: "nothing", text: "", value: {} }), weight: 1 },
  {
    arbitrary: textArbitrary.map((text): Input => ({ kind: "free", text, value: undefined })),
    weight: 1,
  },
  { arbitrary: faultyInput, weight: 1 },
);

const extraArbitrary = fc.option(
  fc.constantFrom<JsonObject>(
    { extra_content: { google: { thought_signature: "c2ln" } } },
    { provider_metadata: { n: 1 }, note: "" },
  ),
  { nil: undefined, freq: 8 },
);

const callArbitrary: fc.Arbitrary<ModelCall> = fc
  .record({
    name: nameArbitrary,
    isNameless: fc.nat({ max: 19 }).map((number) => number === 19),
    id: idArbitrary,
    input: inputArbitrary,
    extra: extraArbitrary,
  })
  .map(({ name, isNameless, id, input: { kind, text, value }, extra }) => ({
    // What a nameless call with a second fault is called, nobody has defined.
    name: isNameless && kind === "json" ? "" : name,
    id,
    kind,
    text,
    value,
    extra,
  }));

/** Those with which a model stops of its own accord. */
export const NORMAL_REASONS = [
  "tool_calls",
  "stop",
  "function_call",
  "end_turn",
  "tool_use",
  "stop_sequence",
  "completed",
  "eos_token",
  "TOOL_CALLS",
  "end-turn",
];
const OTHER_REASONS = ["length", "content_filter", "MAX_TOKENS", "error", "unknown"];

const finishReasonsArbitrary = fc.oneof(
  { arbitrary: fc.constantFrom(...NORMAL_REASONS).map((reason) => [reason]), weight: 6 },
  { arbitrary: fc.constantFrom(...OTHER_REASONS).map((reason) => [reason]), weight: 2 },
  { arbitrary: fc.constant<string[]>([]), weight: 1 },
  {
    arbitrary: fc.array(fc.constantFrom("stop", "tool_calls", "length"), {
      minLength: 2,
      maxLength: 3,
    }),
    weight: 1,
  },
);

const choiceArbitrary: fc.Arbitrary<ModelChoice> = fc.record({
  reasoning: fc.oneof(fc.constant(""), textArbitrary),
  content: fc.oneof(fc.constant(""), textArbitrary),
  calls: fc.array(callArbitrary, { maxLength: 4 }),
  finishReasons: finishReasonsArbitrary,
});

/** Turns of every kind; what a server's quirks forbid is left to `fitted`. */
export const turnArbitrary: fc.Arbitrary<ModelTurn> = fc.record({
  choices: fc.oneof(
    { arbitrary: choiceArbitrary.map((choice) => [choice]), weight: 3 },
    { arbitrary: fc.array(choiceArbitrary, { minLength: 1, maxLength: 3 }), weight: 1 },
  ),
  usage: fc.option(
    fc.nat().map((tokens) => ({ total_tokens: tokens })),
    { nil: undefined },
  ),
  end: fc.oneof(
    { arbitrary: fc.constant<ModelTurn["end"]>("done"), weight: 6 },
    { arbitrary: fc.constantFrom<ModelTurn["end"]>("body", "error"), weight: 1 },
  ),
});
