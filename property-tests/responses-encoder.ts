import type { JsonObject, ResponsesItem } from "../src/index.ts";
import {
  commonNoise,
  COPY_INDEX,
  defined,
  type Encoder,
  type Event,
  FOREIGN_CALL,
  framed,
  indexOf,
  json,
  merged,
  silentEvent,
  textsOf,
  UNKNOWN_FIELDS,
} from "./encoder.ts";
import { fragmentsOf, inputsOf, isHeld, pieces, rawText, tailOf } from "./fragments.ts";
import {
  argumentsQuirkOf,
  isSequential,
  isWhole,
  type NoiseKind,
  type Quirks,
  type Scenario,
} from "./quirks.ts";
import { type ModelCall, type ModelChoice, type ModelTurn, NORMAL_REASONS } from "./turns.ts";

/** OpenAI Responses, as all kinds of servers send it. */
export const responses: Encoder = {
  dialect: "responses",
  fitted,
  frames(turn, quirks) {
    if (quirks.shape === "body") return [bodyFrame(turn, quirks)];
    return framed(eventsOf(turn, quirks), quirks, noiseEvents);
  },
  encode(turn, quirks) {
    return textsOf(this.frames(turn, quirks));
  },
  payloads(turn, quirks) {
    return eventsOf(turn, quirks).flatMap(({ data }) => (typeof data === "string" ? [] : [data]));
  },
  saidIn(message) {
    const items = message as ResponsesItem[];
    const parts = items.flatMap(({ content = [], summary = [] }) =>
      [summary, content].flat(),
    ) as readonly Part[];
    const textOf = (...types: string[]): string =>
      parts.map(({ type, text }) => (types.includes(type) ? text : "")).join("");
    return {
      content: textOf("output_text"),
      reasoning: textOf("summary_text", "reasoning_text"),
      calls: items.flatMap(({ type, call_id: id, name }) =>
        type.endsWith("_call") ? [{ id, name }] : [],
      ),
      others: items.flatMap(({ type }) =>
        type.endsWith("_call") || type === "message" || type === "reasoning" ? [] : [type],
      ),
    };
  },
};

interface Part {
  readonly type: string;
  readonly text?: string;
}

/**
 * What a response cannot say: other choices, a finish reason beside its end, or more than one; names and
 * ids beside the start of an item.
 */
function fitted({ turn, quirks: wanted }: Scenario): Scenario {
  const quirks = { ...wanted };
  quirks.name = "first";
  if (quirks.id !== "never") quirks.id = "first";
  const isBody = quirks.shape === "body";
  const end = isBody ? "done" : turn.end;
  // The whole response stands at its end.
  if (quirks.shape === "message" && end !== "done") quirks.shape = "array";
  const isDone = end === "done";
  const choices = turn.choices.slice(0, 1).map((choice) => {
    const [reason = "completed"] = choice.finishReasons;
    const actual = NORMAL_REASONS.includes(reason) ? "completed" : reason;
    return {
      reasoning: choice.reasoning,
      content: choice.content,
      calls: withOwnIds(choice.calls),
      finishReasons: isDone ? [actual] : [],
    };
  });
  return { turn: { choices, end, usage: isDone ? turn.usage : undefined }, quirks };
}

/** An open call is found by its id where an item has no better: two calls with one are then one. */
function withOwnIds(calls: readonly ModelCall[]): ModelCall[] {
  const ids = calls.map(({ id }) => id);
  return calls.map((call, position) =>
    call.id === undefined || ids.indexOf(call.id) === position
      ? call
      : Object.assign({}, call, { id: `${call.id}#${position}` }),
  );
}

function eventsOf(turn: ModelTurn, quirks: Quirks): Event[] {
  const choice = turn.choices[0] as ModelChoice;
  return [
    event({ type: "response.created", response: { status: "in_progress", output: [] } }, quirks),
    ...(isWhole(quirks) ? [] : itemEvents(choice, quirks)),
    ...copies(choice, quirks),
    ...lastEvents(turn, quirks),
  ];
}

/** An event by the name of its kind, or by the one that the server gives to all. */
function event(data: JsonObject, quirks: Quirks, rest: Partial<Event> = {}): Event {
  const fields = quirks.hasUnknownFields ? { "x-data": FOREIGN_CALL, ...UNKNOWN_FIELDS } : {};
  return {
    name: quirks.eventName ?? `${data["type"]}`,
    data: { ...defined(data), ...fields },
    starts: [],
    completes: [],
    isEnd: false,
    ...rest,
  };
}

/** The events of every item, those of one in order. */
function itemEvents({ reasoning, content, calls }: ModelChoice, quirks: Quirks): Event[] {
  const strands = [
    textStrand("reasoning", reasoning, 0, quirks),
    textStrand("message", content, 1, quirks),
    ...calls.map((call, position) => callStrand(call, FIRST_CALL_ITEM + position, quirks)),
  ];
  return merged(isSequential(quirks) ? [strands.flat()] : strands, quirks.merge);
}

/** Reasoning and text have the first two numbers. */
const FIRST_CALL_ITEM = 2;

function textStrand(type: "reasoning" | "message", text: string, item: number, quirks: Quirks) {
  if (text === "") return [];
  const { delta, whole, start } = textItems(type, text, quirks);
  const id = `item_${item}`;
  const events = [
    ...(quirks.hasOpener ? [{ type: "response.output_item.added", item: { ...start, id } }] : []),
    ...pieces(text, quirks.fragments).map((piece) => ({ type: delta, item_id: id, delta: piece })),
    ...(quirks.type === "never"
      ? []
      : [{ type: "response.output_item.done", item: { ...whole, id } }]),
  ];
  return events.map((data, position) =>
    event({ ...data, output_index: indexOf(item, position, quirks.index) }, quirks),
  );
}

/** How an item of this type starts and ends, and how its text comes in between. */
function textItems(type: "reasoning" | "message", text: string, quirks: Quirks) {
  if (type === "message") {
    const start = { type, role: "assistant", content: [] };
    const whole = { ...start, content: [{ type: "output_text", text, annotations: [] }] };
    return { delta: "response.output_text.delta", start, whole };
  }
  const start = { type, summary: [] };
  if (quirks.reasoningField === "reasoning") {
    const whole = { ...start, summary: [{ type: "summary_text", text }] };
    return { delta: "response.reasoning_summary_text.delta", start, whole };
  }
  const whole = { ...start, content: [{ type: "reasoning_text", text }] };
  return { delta: "response.reasoning_text.delta", start, whole };
}

function callItem(call: ModelCall, item: number, input: unknown, { absent }: Quirks): JsonObject {
  const { id = absent, name, kind, extra } = call;
  const common = { id: `item_${item}`, call_id: id, name, ...extra };
  return kind === "free"
    ? { type: "custom_tool_call", ...common, input }
    : { type: "function_call", ...common, arguments: input };
}

/** The whole arguments, where the server has them right. */
function wholeInput(call: ModelCall, quirks: Quirks): unknown {
  const quirk = argumentsQuirkOf(call, quirks);
  if (quirk === "object") return call.value;
  return quirk === "text" ? call.text : "";
}

function callStrand(call: ModelCall, item: number, quirks: Quirks): Event[] {
  const place = { choice: 0, call: item < COPY_INDEX ? item - FIRST_CALL_ITEM : item - COPY_INDEX };
  const isEarly = !isHeld(call, quirks);
  const kind = call.kind === "free" ? "custom_tool_call_input" : "function_call_arguments";
  const field = call.kind === "free" ? "input" : "arguments";
  const whole = wholeInput(call, quirks);
  const done = { type: "response.output_item.done", item: callItem(call, item, whole, quirks) };
  const isAtEnd = !quirks.hasOpener && quirks.type !== "never" && whole !== "";
  // Where each item has an index of its own, some servers tell no more.
  const id = isSequential(quirks) || quirks.absent === null ? `item_${item}` : undefined;
  const end = { type: `response.${kind}.done`, item_id: id, [field]: whole };
  const events: JsonObject[] = isAtEnd
    ? [done]
    : [
        { type: "response.output_item.added", item: callItem(call, item, "", quirks) },
        ...inputsOf(call, quirks).map((delta) => ({
          type: `response.${kind}.delta`,
          item_id: id,
          delta,
        })),
        ...(quirks.type === "never" ? [] : [end, done]),
      ];
  const last = isAtEnd ? 0 : fragmentsOf(call, quirks).length;
  return events.map((data, position) =>
    event({ ...data, output_index: indexOf(item, position, quirks.index) }, quirks, {
      starts: position === 0 ? [place] : [],
      completes: isEarly && position === last ? [place] : [],
    }),
  );
}

/** The calls once more, those that are over, as other items. */
function copies(choice: ModelChoice, quirks: Quirks): Event[] {
  if (quirks.echo !== "copies" || isWhole(quirks)) return [];
  return choice.calls.flatMap((call, position) => {
    if (isHeld(call, quirks) || call.id === undefined) return [];
    const strand = callStrand(call, COPY_INDEX + position, { ...quirks, arguments: "text" });
    return strand.map((each) => Object.assign({}, each, { starts: [], completes: [] }));
  });
}

/** The items of the whole response. Some servers mint other ids for them: then their order tells. */
function outputOf({ reasoning, content, calls }: ModelChoice, quirks: Quirks): JsonObject[] {
  const isOther = !isWhole(quirks) && quirks.absent === "" && quirks.merge.length === 0;
  const texts = [
    ...(reasoning === "" ? [] : [textItems("reasoning", reasoning, quirks)]),
    ...(content === "" ? [] : [textItems("message", content, quirks)]),
  ];
  return [
    ...texts.map(({ whole }) => whole),
    ...calls.map((call, position) => {
      const whole = isWhole(quirks)
        ? rawText(call, quirks) + tailOf(call, quirks)
        : wholeInput(call, quirks);
      const item = callItem(call, FIRST_CALL_ITEM + position, whole, quirks);
      const other = call.id === undefined ? {} : { call_id: `other_${position}` };
      return isOther ? { ...item, id: `other_${position}`, ...other } : item;
    }),
  ];
}

function responseOf({ choices, usage }: ModelTurn, quirks: Quirks): JsonObject {
  const choice = choices[0] as ModelChoice;
  const [reason = "completed"] = choice.finishReasons;
  const output = isWhole(quirks) || quirks.echo === "message" ? outputOf(choice, quirks) : [];
  const status = reason === "completed" ? reason : "incomplete";
  const details = status === "incomplete" ? { reason } : null;
  return defined({ object: "response", status, incomplete_details: details, output, usage });
}

/** What whole items do to the calls in them. */
function placesIn({ choices }: ModelTurn, quirks: Quirks): Pick<Event, "starts" | "completes"> {
  const calls = choices[0]?.calls ?? [];
  const places = calls.map((_call, position) => ({ choice: 0, call: position }));
  return {
    starts: places,
    completes: places.filter(({ call }) => !isHeld(calls[call] as ModelCall, quirks)),
  };
}

const ERROR = { type: "server_error", code: "server_error", message: "Overloaded", param: null };

function lastEvents(turn: ModelTurn, quirks: Quirks): Event[] {
  const { end } = turn;
  const events: Event[] = [];
  const isEnd = true;
  const response = responseOf(turn, quirks);
  if (end === "done") {
    const places = quirks.shape === "message" ? placesIn(turn, quirks) : {};
    const data = { type: `response.${response["status"]}`, response };
    events.push(event(data, quirks, { isEnd, ...places }));
  }
  if (end === "error") events.push(event({ ...ERROR, type: "error" }, quirks, { isEnd }));
  if (end !== "body" && quirks.hasAfterword) {
    const item = { type: "function_call", id: "no", name: "after", arguments: '{"end":true}' };
    events.push(
      event({ type: "response.output_item.done", item }, quirks),
      ...silentEvent("[DONE]"),
    );
  }
  return events;
}

/** The response of a server that does not stream. */
function bodyFrame(turn: ModelTurn, quirks: Quirks) {
  const fields = quirks.hasUnknownFields ? UNKNOWN_FIELDS : {};
  const text = json({ ...responseOf(turn, quirks), ...fields }, quirks);
  return { text, ...placesIn(turn, quirks), isEnd: true };
}

/** The noise of this dialect, as events or as the lines of a frame. */
function noiseEvents(kind: NoiseKind): (Event | string)[] {
  switch (kind) {
    case "no-choices":
      return silentEvent({ type: "vendor_event", item: { type: "function_call" } });
    case "null-choices":
      return silentEvent({ type: "response.web_search_call.searching", item_id: "ws" });
    case "empty-delta":
      return silentEvent({ type: "response.function_call_arguments.delta", delta: "" });
    case "null-delta":
      return silentEvent({ type: "response.function_call_arguments.delta", delta: null });
    case "blank-delta":
      return silentEvent({ type: "response.output_text.delta", delta: "" });
    case "usage":
      return silentEvent({
        type: "response.in_progress",
        response: { usage: { total_tokens: 1 } },
      });
    default:
      return commonNoise(kind) ?? [];
  }
}
