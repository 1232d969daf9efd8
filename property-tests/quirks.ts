import * as fc from "fast-check";
import {
  isEager,
  isJsonObject,
  type ModelCall,
  type ModelChoice,
  type ModelTurn,
  turnArbitrary,
} from "./turns.ts";

/** How a server numbers the calls of a choice; `none` and `all-zero` do not tell them apart. */
export type IndexQuirk =
  | "counted"
  | "from-one"
  | "sparse"
  | "negative"
  | "text"
  | "mixed"
  | "none"
  | "all-zero";
/** On which deltas of a call an id stands. `changing`: another one on each. */
export type IdQuirk = "first" | "every" | "changing" | "late" | "emptied" | "never";
/** On which deltas of a call its name stands. `split`: in pieces, `growing`: ever longer. */
export type NameQuirk = "first" | "every" | "emptied" | "split" | "growing" | "late";
/** What a server does to the arguments. `snapshots`: each fragment repeats all before it. */
export type ArgumentsQuirk =
  | "text"
  | "object"
  | "placeholder"
  | "repeated"
  | "repeated-as-text"
  | "encoded-twice"
  | "snapshots"
  | "junk"
  | "blank";
/** Where calls stand. `message`: whole, where a delta belongs. `body`: so, and without events. */
export type ShapeQuirk = "array" | "single" | "legacy" | "message" | "body";
export type FinishQuirk = "last" | "first" | "everywhere";
/** What a server says again at the end: the calls in one message, or each at another index. */
export type EchoQuirk = "none" | "message" | "copies";
export type LineEnd = "\n" | "\r\n" | "\r";

/** Events that say nothing, and the fields of others that say nothing. */
export type NoiseKind =
  | "comment"
  | "keep-alive"
  | "ping"
  | "foreign-error"
  | "empty-data"
  | "null"
  | "scalar"
  | "unknown-shape"
  | "no-choices"
  | "null-choices"
  | "empty-delta"
  | "null-delta"
  | "blank-delta"
  | "usage"
  | "retry";

export interface Noise {
  readonly kind: NoiseKind;
  /** Before which event, modulo their number. */
  readonly before: number;
}

/** How a server puts a turn on the wire: its habits, its noise, and where it happens to pause. */
export interface Quirks {
  readonly index: IndexQuirk;
  readonly id: IdQuirk;
  readonly name: NameQuirk;
  readonly arguments: ArgumentsQuirk;
  readonly shape: ShapeQuirk;
  readonly finish: FinishQuirk;
  readonly echo: EchoQuirk;
  /** How an absent field is written, where it is written at all. */
  readonly absent: "" | null;
  readonly type: "first" | "every" | "never";
  /** Whether the first delta of a call brings no arguments. */
  readonly hasOpener: boolean;
  readonly hasEmptyCustom: boolean;
  readonly reasoningField: "reasoning_content" | "reasoning";

  /** The lengths of fragments, cyclically; none: everything in one. */
  readonly fragments: readonly number[];
  /** Of the strands that still hold deltas, which comes next; cyclically; none: the first. */
  readonly merge: readonly number[];
  /** How many deltas share an event, cyclically; none: one. */
  readonly batch: readonly number[];

  readonly noise: readonly Noise[];
  readonly hasUnknownFields: boolean;
  /** One line end for each event, cyclically. */
  readonly lineEnds: readonly LineEnd[];
  readonly hasSpace: boolean;
  readonly hasByteOrderMark: boolean;
  readonly eventName: string | undefined;
  /** JSON over several `data:` lines. */
  readonly isMultiLine: boolean;
  readonly isAscii: boolean;
  /** What follows the end; ignored, whatever it is. */
  readonly hasAfterword: boolean;
  readonly lacksLastBlankLine: boolean;
}

/** A server without any. */
export const PLAIN: Quirks = {
  index: "counted",
  id: "first",
  name: "first",
  arguments: "text",
  shape: "array",
  finish: "last",
  echo: "none",
  absent: null,
  type: "first",
  hasOpener: true,
  hasEmptyCustom: false,
  reasoningField: "reasoning_content",
  fragments: [],
  merge: [],
  batch: [],
  noise: [],
  hasUnknownFields: false,
  lineEnds: ["\n"],
  hasSpace: true,
  hasByteOrderMark: false,
  eventName: undefined,
  isMultiLine: false,
  isAscii: false,
  hasAfterword: false,
  lacksLastBlankLine: false,
};

/** A turn as a server with these quirks can say it without being misunderstood. */
export interface Scenario {
  readonly turn: ModelTurn;
  readonly quirks: Quirks;
}

/** Half of all servers do what the others do. */
function seldom<T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> {
  return fc.oneof(
    { arbitrary: fc.constant(usual), weight: others.length },
    { arbitrary: fc.constantFrom(...others), weight: others.length },
  );
}

const lengths = fc.array(fc.integer({ min: 1, max: 12 }), { maxLength: 5 });
const picks = fc.array(fc.nat({ max: 7 }), { maxLength: 8 });
const flag = fc.boolean();
const rareFlag = fc.nat({ max: 7 }).map((number) => number === 7);

const noiseArbitrary: fc.Arbitrary<Noise> = fc.record({
  kind: fc.constantFrom<NoiseKind>(
    "comment",
    "keep-alive",
    "ping",
    "foreign-error",
    "empty-data",
    "null",
    "scalar",
    "unknown-shape",
    "no-choices",
    "null-choices",
    "empty-delta",
    "null-delta",
    "blank-delta",
    "usage",
    "retry",
  ),
  before: fc.nat({ max: 99 }),
});

/** Noise, and nothing else. */
export const noiseArbitraries = {
  noise: fc.array(noiseArbitrary, { maxLength: 6 }),
  hasUnknownFields: flag,
  lineEnds: fc.oneof(
    fc.constantFrom<LineEnd[]>(["\n"], ["\r\n"], ["\r"]),
    fc.array(fc.constantFrom<LineEnd>("\n", "\r\n", "\r"), { minLength: 1, maxLength: 3 }),
  ),
  hasSpace: flag,
  hasByteOrderMark: rareFlag,
  eventName: fc.option(fc.constantFrom("message", "chunk", "tool_call"), {
    nil: undefined,
    freq: 3,
  }),
  isMultiLine: rareFlag,
  isAscii: flag,
  hasAfterword: rareFlag,
  lacksLastBlankLine: rareFlag,
};

/** Where a server happens to pause, and what it happens to say first. */
export const layoutArbitraries = { fragments: lengths, merge: picks, batch: lengths };

type QuirkArbitraries = { readonly [Name in keyof Quirks]: fc.Arbitrary<Quirks[Name]> };

/** Any server, quirk by quirk. */
const quirkArbitraries: QuirkArbitraries = {
  index: seldom<IndexQuirk>(
    "counted",
    "from-one",
    "sparse",
    "negative",
    "text",
    "mixed",
    "none",
    "all-zero",
  ),
  id: seldom<IdQuirk>("first", "every", "changing", "late", "emptied", "never"),
  name: seldom<NameQuirk>("first", "every", "emptied", "split", "growing", "late"),
  arguments: seldom<ArgumentsQuirk>(
    "text",
    "object",
    "placeholder",
    "repeated",
    "repeated-as-text",
    "encoded-twice",
    "snapshots",
    "junk",
    "blank",
  ),
  shape: fc.oneof(
    { arbitrary: fc.constant<ShapeQuirk>("array"), weight: 6 },
    { arbitrary: fc.constantFrom<ShapeQuirk>("single", "legacy", "message", "body"), weight: 2 },
  ),
  finish: seldom<FinishQuirk>("last", "first", "everywhere"),
  echo: seldom<EchoQuirk>("none", "message", "copies"),
  absent: fc.constantFrom("" as const, null),
  type: fc.constantFrom("first" as const, "every" as const, "never" as const),
  hasOpener: flag,
  hasEmptyCustom: rareFlag,
  reasoningField: fc.constantFrom("reasoning_content" as const, "reasoning" as const),
  ...layoutArbitraries,
  ...noiseArbitraries,
};

/** Any server, but for the quirks that are given. */
export function quirksWith(given: Partial<QuirkArbitraries> = {}): fc.Arbitrary<Quirks> {
  return fc.record({ ...quirkArbitraries, ...given });
}

/** Any turn, from any server but for the quirks that are given. */
export function scenarioWith(
  given: Partial<QuirkArbitraries> = {},
  turn: fc.Arbitrary<ModelTurn> = turnArbitrary,
): fc.Arbitrary<Scenario> {
  return fc.record({ turn, quirks: quirksWith(given) }).map(fitted);
}

/** One call, from a server with these quirks: a case by hand. */
export function scenarioOf(call: Partial<ModelCall>, quirks: Partial<Quirks>): Scenario {
  const value = { a: 1 };
  const whole = { name: "read", id: "call_0", kind: "json", value, text: '{"a":1}' } as const;
  const calls = [{ ...whole, extra: undefined, ...call }];
  const choice = { reasoning: "", content: "", calls, finishReasons: ["stop"] };
  const turn = { choices: [choice], usage: undefined, end: "done" } as const;
  return fitted({ turn, quirks: { ...PLAIN, ...quirks } });
}

/** Every shape that is a stream: a body of one JSON value ends where the body does. */
export const streamedShape: fc.Arbitrary<ShapeQuirk> = fc.oneof(
  { arbitrary: fc.constant<ShapeQuirk>("array"), weight: 6 },
  { arbitrary: fc.constantFrom<ShapeQuirk[]>("single", "legacy", "message"), weight: 2 },
);

/** Whether calls follow one another, since nothing but their order tells them apart. */
export function isSequential({ index, shape }: Quirks): boolean {
  return index === "all-zero" || (index === "none" && shape !== "message" && shape !== "body");
}

/** Whether each choice stands whole in one message. */
export function isWhole({ shape }: Quirks): boolean {
  return shape === "message" || shape === "body";
}

/** The arguments quirk that a server can apply to this very call. */
export function argumentsQuirkOf(call: ModelCall, quirks: Quirks): ArgumentsQuirk {
  const { arguments: quirk } = quirks;
  switch (quirk) {
    case "object":
    case "encoded-twice":
      return call.kind === "json" && isJsonObject(call.value) ? quirk : "text";
    case "placeholder":
      return isEager(call) && isJsonObject(call.value) ? quirk : "text";
    case "repeated":
    case "repeated-as-text":
    case "junk":
    case "blank":
      return isEager(call) ? quirk : "text";
    case "snapshots":
      return isEager(call) && isJsonObject(call.value) && "key" in call.value ? quirk : "text";
    case "text":
      return quirk;
    default:
      return quirk satisfies never;
  }
}

/**
 * The turn and the quirks, changed as little as needed so that the rules of correlation fix what
 * comes out. Each change names the rule.
 */
export function fitted({ turn, quirks: wanted }: Scenario): Scenario {
  const quirks = fittedQuirks(wanted);
  let choices = turn.choices.map((choice) => fittedChoice(choice, quirks));
  // A body that ends without the dialect's end is whole when every choice has its reason; some
  // with and some without is neither.
  if (turn.end === "body" && choices.some(({ finishReasons }) => finishReasons.length === 0)) {
    choices = choices.map((choice) => ({ ...choice, finishReasons: [] }));
  }
  // A reason that more has followed proves nothing: it ends only what says its end itself. What comes of
  // it otherwise, "A finish reason that more has followed" says.
  const finish = turn.end === "body" ? "last" : quirks.finish;
  return { turn: { ...turn, choices }, quirks: { ...quirks, finish } };
}

function fittedQuirks(wanted: Quirks): Quirks {
  const quirks = { ...wanted };
  if (quirks.shape === "legacy") {
    quirks.index = "counted";
    quirks.id = "never";
    quirks.echo = "none";
  }
  if (isWhole(quirks)) {
    quirks.fragments = [];
    quirks.hasOpener = false;
    quirks.id = quirks.id === "never" ? "never" : "first";
    quirks.name = "first";
    if (["placeholder", "snapshots"].includes(quirks.arguments)) quirks.arguments = "text";
    if (quirks.finish === "everywhere") quirks.finish = "last";
  }
  if (isSequential(quirks)) {
    // What tells calls apart must be there when they begin.
    if (quirks.id === "late") quirks.id = "first";
    if (quirks.index === "all-zero" && quirks.id === "never") quirks.id = "first";
    if (quirks.name === "late") quirks.name = "first";
    // Without index, a name behind argument text starts a call, unless a known id stands beside it.
    if (quirks.index === "none" && quirks.name === "every") {
      quirks.id = "every";
    }
    // Said again at an index of its own, or of all, a call is one that nothing tells from another.
    quirks.echo = "none";
    // Snapshots are not closed, so that nothing ends the call.
    if (quirks.arguments === "snapshots") quirks.arguments = "text";
  }
  // Without index, the calls of a message stand elsewhere than those of deltas.
  if (quirks.index === "none") quirks.echo = "none";
  // A name and another id start a call where there are no arguments yet, or where they are whole.
  if (quirks.id === "changing" && !["first", "emptied", "late"].includes(quirks.name)) {
    quirks.name = "first";
  }
  return quirks;
}

function fittedChoice(choice: ModelChoice, quirks: Quirks): ModelChoice {
  let calls = choice.calls.map((call) => fittedCall(call, quirks));
  // There is one `function_call`.
  if (quirks.shape === "legacy") calls = calls.filter(({ kind }) => kind !== "free").slice(0, 1);
  if (isSequential(quirks)) {
    // A call that is not whole stays open: it takes what was meant for a later one.
    calls = calls
      .filter((call, position) => position === calls.length - 1 || !staysOpen(call, quirks))
      .map((call, position) => withId(call, `${position}#${call.id}`, quirks));
  }
  const { finishReasons } = choice;
  return {
    ...choice,
    calls: withoutCopies(calls),
    // A message has one.
    finishReasons: quirks.shape === "body" ? finishReasons.slice(0, 1) : finishReasons,
  };
}

function withId(call: ModelCall, id: string, quirks: Quirks): ModelCall {
  return { ...call, id: quirks.id === "never" ? undefined : id };
}

function staysOpen({ kind }: ModelCall, { index, id }: Quirks): boolean {
  // At a common index, an id starts a call also where there are no arguments; without index, the
  // other stays the latest open one, unless every delta says by its id whose it is.
  if (kind === "nothing") return index === "none" && id !== "every";
  return kind !== "json";
}

function fittedCall(call: ModelCall, quirks: Quirks): ModelCall {
  const fit = { ...call };
  // One without a name would continue the one before.
  if (isSequential(quirks) && fit.name === "") fit.name = "nameless";
  if (quirks.id === "never") fit.id = undefined;
  if (quirks.shape === "legacy") fit.extra = undefined;
  if (quirks.arguments === "snapshots" && isJsonObject(fit.value) && fit.kind === "json") {
    // Cut inside of a key made of letters, no repetition of the whole can continue the text.
    fit.value = { key: 1, ...fit.value };
    fit.text = JSON.stringify(fit.value);
  }
  const quirk = argumentsQuirkOf(fit, quirks);
  if (quirk === "object") fit.text = JSON.stringify(fit.value);
  // The white space between a placeholder and what replaces it belongs to neither.
  if (quirk === "placeholder") fit.text = fit.text.trimStart();
  return fit;
}

/** Equal id, name and arguments in one choice are one call: so another id, where they are not. */
function withoutCopies(calls: readonly ModelCall[]): ModelCall[] {
  const seen = new Set<string>();
  return calls.map((call, position) => {
    if (call.id === undefined) return call;
    const input = call.value === undefined ? call.text : JSON.stringify(sorted(call.value));
    let { id } = call;
    while (seen.has(JSON.stringify([id, call.name, input]))) id += `#${position}`;
    seen.add(JSON.stringify([id, call.name, input]));
    return { ...call, id };
  });
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const entries = Object.entries(value).map(([key, member]) => [key, sorted(member)] as const);
  return entries.sort(([a], [b]) => (a < b ? -1 : 1));
}
