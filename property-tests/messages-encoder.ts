import type { JsonObject, MessagesAssistantMessage } from "../src/index.ts";
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
import { isEager, type ModelCall, type ModelChoice, type ModelTurn } from "./turns.ts";

const KNOWN_TYPES: ReadonlySet<string> = new Set(["text", "thinking", "tool_use"]);

/** Anthropic Messages, as all kinds of servers send it. */
export const messages: Encoder = {
  dialect: "messages",
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
    const { content } = message as MessagesAssistantMessage;
    const textOf = (type: string): string =>
      content.map((block) => (block.type === type ? block[type] : "")).join("");
    return {
      content: textOf("text"),
      reasoning: textOf("thinking"),
      calls: content.flatMap(({ type, id, name }) => (type === "tool_use" ? [{ id, name }] : [])),
      others: content.flatMap(({ type }) => (KNOWN_TYPES.has(type) ? [] : [type])),
    };
  },
};

/**
 * What a message cannot say: other choices, custom calls, names and ids beside the start of a block.
 * The reasons that no one knows count as normal here.
 */
function fitted({ turn, quirks: wanted }: Scenario): Scenario {
  const quirks = { ...wanted };
  quirks.name = "first";
  if (quirks.id !== "never") quirks.id = "first";
  // At one index, a tool that has neither input nor a stop leaves it open whose the next input is.
  if (isSequential(quirks) && quirks.type === "never") quirks.type = "first";
  const choices = turn.choices.slice(0, 1).map(fittedChoice);
  // A message and an error are not one body.
  const end = quirks.shape === "body" && turn.end === "error" ? "done" : turn.end;
  return { turn: { ...turn, choices, end }, quirks };
}

function fittedChoice({ reasoning, content, calls, finishReasons }: ModelChoice): ModelChoice {
  return {
    reasoning,
    // A text block of nothing but white space is left out of the message.
    content: content.trim() === "" ? "" : content,
    calls: calls.filter(({ kind }) => kind !== "free"),
    finishReasons: finishReasons.map((reason) =>
      ["error", "unknown"].includes(reason) ? "refusal" : reason,
    ),
  };
}

function eventsOf(turn: ModelTurn, quirks: Quirks): Event[] {
  const choice = turn.choices[0] as ModelChoice;
  const reasons = choice.finishReasons.map((reason) =>
    event({ type: "message_delta", delta: { stop_reason: reason } }, quirks),
  );
  return [
    startEvent(choice, quirks),
    ...(quirks.finish === "first" ? reasons : []),
    ...(isWhole(quirks) ? [] : blockEvents(choice, quirks)),
    ...echo(choice, quirks),
    ...(quirks.finish === "first" ? [] : reasons),
    ...lastEvents(turn, quirks),
  ];
}

/** An event by the name of its kind, or by the one that the server gives to all. */
function event(data: JsonObject, quirks: Quirks, rest: Partial<Event> = {}): Event {
  const fields = quirks.hasUnknownFields ? { "x-data": FOREIGN_CALL, ...UNKNOWN_FIELDS } : {};
  return {
    name: quirks.eventName ?? `${data["type"]}`,
    data: { ...data, ...fields },
    starts: [],
    completes: [],
    isEnd: false,
    ...rest,
  };
}

function startEvent(choice: ModelChoice, quirks: Quirks): Event {
  const content = quirks.shape === "message" ? wholeBlocks(choice, quirks) : [];
  const message = { id: "msg_1", type: "message", role: "assistant", content, stop_reason: null };
  const places = quirks.shape === "message" ? placesIn(choice, quirks) : {};
  return event({ type: "message_start", message }, quirks, places);
}

/** What whole blocks do to the calls in them. */
function placesIn({ calls }: ModelChoice, quirks: Quirks): Pick<Event, "starts" | "completes"> {
  const places = calls.map((_call, position) => ({ choice: 0, call: position }));
  return {
    starts: places,
    completes: places.filter(({ call }) => !isHeld(calls[call] as ModelCall, quirks)),
  };
}

function wholeBlocks({ reasoning, content, calls }: ModelChoice, quirks: Quirks): JsonObject[] {
  return [
    ...(reasoning === "" ? [] : [{ type: "thinking", thinking: reasoning, signature: "s" }]),
    ...(content === "" ? [] : [{ type: "text", text: content }]),
    ...calls.map((call) => callBlock(call, wholeInput(call, quirks), quirks)),
  ];
}

/** An object, or the text of any input; an object without content is no input. */
function wholeInput(call: ModelCall, quirks: Quirks): unknown {
  if (call.kind === "nothing") return {};
  if (argumentsQuirkOf(call, quirks) === "object" && call.text !== "{}") return call.value;
  return rawText(call, quirks) + tailOf(call, quirks);
}

function callBlock(call: ModelCall, input: unknown, { absent }: Quirks): JsonObject {
  const { id = absent, name, extra } = call;
  return { type: "tool_use", id, name, input, ...extra };
}

/** The events of every block, those of one in order. */
function blockEvents({ reasoning, content, calls }: ModelChoice, quirks: Quirks): Event[] {
  const strands = [
    shownStrand("thinking", reasoning, 0, quirks),
    shownStrand("text", content, 1, quirks),
    ...calls.map((call, position) => callStrand(call, position, quirks)),
  ];
  return merged(isSequential(quirks) ? [strands.flat()] : strands, quirks.merge);
}

function shownStrand(
  type: "thinking" | "text",
  text: string,
  block: number,
  quirks: Quirks,
): Event[] {
  if (text === "") return [];
  const texts = pieces(text, quirks.fragments);
  // The first piece may stand in the start.
  const first = quirks.hasOpener ? "" : (texts.shift() ?? "");
  return strandOf(
    block,
    { type, [type]: first },
    texts.map((piece) => ({ type: `${type}_delta`, [type]: piece })),
    quirks,
  );
}

function strandOf(
  block: number,
  start: JsonObject,
  deltas: readonly JsonObject[],
  quirks: Quirks,
): Event[] {
  const indexed = (data: JsonObject, position: number): Event => {
    const index = indexOf(block, position, quirks.index);
    return event(defined({ ...data, index }), quirks);
  };
  const fields = quirks.hasUnknownFields ? UNKNOWN_FIELDS : {};
  return [
    indexed({ type: "content_block_start", content_block: start }, 0),
    ...deltas.map((delta, position) =>
      indexed({ type: "content_block_delta", delta: { ...delta, ...fields } }, position + 1),
    ),
    // Some servers never say that a block ends.
    ...(quirks.type === "never"
      ? []
      : [indexed({ type: "content_block_stop" }, deltas.length + 1)]),
  ];
}

/** Reasoning and text have the first two numbers. */
const FIRST_CALL_BLOCK = 2;

function callStrand(call: ModelCall, position: number, quirks: Quirks): Event[] {
  const place = { choice: 0, call: position };
  const isInStart =
    !quirks.hasOpener &&
    quirks.type !== "never" &&
    argumentsQuirkOf(call, quirks) === "object" &&
    isEager(call);
  const inputs = isInStart ? [] : inputsOf(call, quirks);
  const events = strandOf(
    FIRST_CALL_BLOCK + position,
    callBlock(call, isInStart ? call.value : {}, quirks),
    inputs.map((input) => ({ type: "input_json_delta", partial_json: input })),
    quirks,
  );
  const last = isInStart ? 1 : fragmentsOf(call, quirks).length;
  const isEarly = !isHeld(call, quirks);
  return events.map((each, count) =>
    Object.assign({}, each, {
      starts: count === 0 ? [place] : [],
      completes: isEarly && count === last ? [place] : [],
    }),
  );
}

/** The calls once more, those that are over: as a whole message, or at other indices. */
function echo(choice: ModelChoice, quirks: Quirks): Event[] {
  const { echo: quirk } = quirks;
  if (quirk === "none") return [];
  if (quirk === "message") {
    // Behind a start without blocks it would be the message itself.
    if (wholeBlocks(choice, quirks).length === 0) return [];
    const content = wholeBlocks(choice, quirks);
    return [event({ type: "message", content, stop_reason: null }, quirks)];
  }
  return choice.calls.flatMap((call, position) => {
    if (isHeld(call, quirks) || call.id === undefined) return [];
    const start = callBlock(call, {}, quirks);
    const delta = { type: "input_json_delta", partial_json: call.text };
    return strandOf(COPY_INDEX + position, start, [delta], quirks);
  });
}

const ERROR = { type: "overloaded_error", message: "Overloaded" };

function lastEvents({ usage, end }: ModelTurn, quirks: Quirks): Event[] {
  const events: Event[] = [];
  if (usage !== undefined) events.push(event({ type: "message_delta", delta: {}, usage }, quirks));
  const isEnd = true;
  if (end === "done" && quirks.absent === null) {
    events.push(event({ type: "message_stop" }, quirks, { isEnd }));
  }
  // A gateway for several dialects ends them all alike.
  if (end === "done" && quirks.absent === "") {
    events.push({ data: "[DONE]", starts: [], completes: [], isEnd });
  }
  if (end === "error") {
    events.push(event({ type: "error", error: ERROR }, quirks, { isEnd, name: "error" }));
  }
  if (end !== "body" && quirks.hasAfterword) {
    const start = { type: "tool_use", id: "no", name: "after", input: { end: true } };
    events.push(...strandOf(0, start, [], quirks), ...silentEvent("{"));
  }
  return events;
}

/** The response of a server that does not stream. */
function bodyFrame({ choices, usage, end }: ModelTurn, quirks: Quirks) {
  const choice = choices[0] as ModelChoice;
  const body = defined({
    id: "msg_1",
    type: "message",
    role: "assistant",
    content: wholeBlocks(choice, quirks),
    stop_reason: choice.finishReasons[0] ?? null,
    usage,
    ...(quirks.hasUnknownFields ? UNKNOWN_FIELDS : {}),
  });
  const text = json(body, quirks) + (end === "done" ? "\n[DONE]\n" : "");
  return { text, ...placesIn(choice, quirks), isEnd: true };
}

/** The noise of this dialect, as events or as the lines of a frame. */
function noiseEvents(kind: NoiseKind): (Event | string)[] {
  switch (kind) {
    case "no-choices":
      return silentEvent({ type: "vendor_event", content_block: { type: "tool_use" } });
    case "null-choices":
      return silentEvent({ type: "ping" });
    case "empty-delta":
      return silentEvent({ type: "content_block_delta", index: 0, delta: {} });
    case "null-delta":
      return silentEvent({ type: "content_block_delta", index: 0, delta: null });
    case "blank-delta":
      return silentEvent({
        type: "content_block_delta",
        index: 0,
        delta: { type: "input_json_delta", partial_json: "" },
      });
    case "usage":
      return silentEvent({ type: "message_delta", delta: {}, usage: { total_tokens: 1 } });
    default:
      return commonNoise(kind) ?? [];
  }
}
