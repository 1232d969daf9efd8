import type { ChatAssistantMessage, JsonObject } from "../src/index.ts";
import {
  commonNoise,
  type CallPlace,
  COPY_INDEX,
  defined,
  type Encoder,
  type Event,
  FOREIGN_CALL,
  framed,
  grouped,
  indexOf,
  json,
  merged,
  silentEvent,
  textsOf,
  UNKNOWN_FIELDS,
} from "./encoder.ts";
import { fragmentsOf, isHeld, pieces, tailOf } from "./fragments.ts";
import { isSequential, isWhole, type NoiseKind, type Quirks } from "./quirks.ts";
import { type ModelCall, type ModelChoice, type ModelTurn } from "./turns.ts";

/** OpenAI Chat Completions, as all kinds of servers send it. */
export const chat: Encoder = {
  dialect: "chat",
  // Whose calls and quirks these are.
  fitted: (scenario) => scenario,
  frames(turn, quirks) {
    if (quirks.shape === "body") return [bodyFrame(turn, quirks)];
    const events = [...deltaEvents(turn, quirks), ...lastEvents(turn, quirks)];
    return framed(events, quirks, noiseEvents);
  },
  encode(turn, quirks) {
    return textsOf(this.frames(turn, quirks));
  },
  payloads(turn, quirks) {
    const events = [...deltaEvents(turn, quirks), ...lastEvents(turn, quirks)];
    return events.flatMap(({ data }) => (typeof data === "string" ? [] : [data]));
  },
  saidIn(message, quirks) {
    const chatMessage = message as ChatAssistantMessage;
    const { role: _role, content, tool_calls: calls, ...rest } = chatMessage;
    const { [quirks.reasoningField]: reasoning, ...others } = rest;
    return {
      content: content ?? "",
      reasoning: reasoning ?? "",
      calls: (calls ?? []).map((call) => {
        const { name } = call.type === "custom" ? call.custom : call.function;
        return { id: call.id, name };
      }),
      others: Object.keys(others).filter((field) => !Object.hasOwn(UNKNOWN_FIELDS, field)),
    };
  },
};

/** A delta of one choice: the fields that it sets, and what they do to a call. */
type Delta =
  | { readonly type: "text"; readonly choice: number; readonly fields: JsonObject }
  | {
      readonly type: "call";
      readonly choice: number;
      readonly call: JsonObject;
      readonly starts?: CallPlace | undefined;
      readonly completes?: CallPlace | undefined;
    }
  | { readonly type: "message"; readonly choice: number; readonly calls: readonly JsonObject[] }
  | { readonly type: "finish"; readonly choice: number; readonly reason: string };

function deltaEvents(turn: ModelTurn, quirks: Quirks): Event[] {
  if (isWhole(quirks)) {
    return turn.choices.map((choice, number) => messageEvent(choice, number, quirks));
  }
  const strands = turn.choices.map((choice, number) => choiceStrand(choice, number, quirks));
  const deltas = merged(strands, quirks.merge);
  return grouped(deltas, quirks.batch).map((group) => chunkEvent(group, turn, quirks));
}

function choiceStrand(choice: ModelChoice, number: number, quirks: Quirks): Delta[] {
  const { content, reasoning, calls, finishReasons } = choice;
  const text = (field: string, value: string): Delta[] =>
    pieces(value, quirks.fragments).map((piece) => ({
      type: "text",
      choice: number,
      fields: { [field]: piece },
    }));
  const finish: Delta[] = finishReasons.map((reason) => ({
    type: "finish",
    choice: number,
    reason,
  }));
  const callStrands = calls.map((call, position) =>
    callStrand(call, { choice: number, call: position }, quirks),
  );
  const said = [...text(quirks.reasoningField, reasoning), ...text("content", content)];
  return [
    { type: "text", choice: number, fields: { role: "assistant" } },
    ...(quirks.finish === "first" ? finish : []),
    ...merged([said, ...(isSequential(quirks) ? [callStrands.flat()] : callStrands)], quirks.merge),
    ...echo(choice, number, quirks),
    ...(quirks.finish === "first" ? [] : finish),
  ];
}

/** The calls once more, those that are over. */
function echo({ calls }: ModelChoice, choice: number, quirks: Quirks): Delta[] {
  const again = calls.flatMap((call, position): JsonObject[] => {
    const { id, name, text } = call;
    if (isHeld(call, quirks) || (quirks.echo === "copies" && id === undefined)) return [];
    const index = indexOf(position, 0, quirks.index);
    return [
      defined({
        index: quirks.echo === "copies" ? COPY_INDEX + position : index,
        id,
        type: "function",
        function: { name, arguments: text },
      }),
    ];
  });
  if (again.length === 0 || quirks.echo === "none") return [];
  if (quirks.echo === "message") return [{ type: "message", choice, calls: again }];
  return again.map((call) => ({ type: "call", choice, call }));
}

/** A field that is written, in the way in which the server says that it says nothing. */
const ABSENT = Symbol("absent");

/** What one delta says of a call; what is `undefined` is not written. */
interface CallFields {
  id?: string | typeof ABSENT;
  name?: string | typeof ABSENT;
  input?: unknown;
}

/** The deltas of one call, in order. */
function callStrand(call: ModelCall, place: CallPlace, quirks: Quirks): Delta[] {
  const fragments = fragmentsOf(call, quirks);
  const deltas: CallFields[] = fragments.map((input) => ({ input }));
  if (quirks.hasOpener || deltas.length === 0) deltas.unshift({ input: ABSENT });
  addName(deltas, call.name, quirks);
  const last = deltas.length - 1;
  const tail = tailOf(call, quirks);
  const lastFields = deltas[last] as CallFields;
  if (tail !== "" && quirks.fragments.length === 0 && quirks.name !== "late") {
    // Behind the arguments, in the same fragment.
    if (typeof lastFields.input === "string") lastFields.input += tail;
    else deltas.push({ input: tail });
  } else for (const input of pieces(tail, quirks.fragments)) deltas.push({ input });
  repeatName(deltas, call.name, quirks);
  addId(deltas, call.id, last, quirks);

  const start = deltas.findIndex(
    (fields, position) =>
      isPresent(fields.id) ||
      isPresent(fields.name) ||
      isPresent(fields.input) ||
      (position === 0 && call.extra !== undefined),
  );
  return deltas.map((fields, position) => ({
    type: "call",
    choice: place.choice,
    call: callFields(fields, position, call, place, quirks),
    starts: position === start ? place : undefined,
    completes: position === last && !isHeld(call, quirks) ? place : undefined,
  }));
}

function isPresent(field: unknown): boolean {
  return field !== undefined && field !== ABSENT && field !== "";
}

/** The name, or its pieces, at least one of them before the arguments unless it is late. */
function addName(deltas: CallFields[], name: string, quirks: Quirks): void {
  if (name === "") return;
  if (quirks.name === "late") {
    deltas.push({ name });
    return;
  }
  const first = deltas[0] as CallFields;
  const middle = 1 + (name.length >> 1);
  const [head, tail] = [name.slice(0, middle), name.slice(middle)];
  if (quirks.name === "growing" && tail !== "") {
    deltas.unshift({ name: head });
    first.name = name;
  } else if (quirks.name === "split" && tail !== "" && !tail.startsWith(head)) {
    // A piece that begins with all before it would count as the whole name.
    deltas.unshift({ name: head });
    first.name = tail;
  } else first.name = name;
}

function repeatName(deltas: CallFields[], name: string, quirks: Quirks): void {
  if (quirks.name !== "every" && quirks.name !== "emptied") return;
  for (const fields of deltas) {
    fields.name ??= quirks.name === "every" && name !== "" ? name : ABSENT;
  }
}

function addId(deltas: CallFields[], id: string | undefined, last: number, quirks: Quirks): void {
  if (id === undefined) return;
  for (const [position, fields] of deltas.entries()) {
    switch (quirks.id) {
      case "first":
        if (position === 0) fields.id = id;
        break;
      case "late":
        if (position === Math.min(1, last)) fields.id = id;
        break;
      case "every":
        fields.id = id;
        break;
      case "changing":
        fields.id = position === 0 ? id : `${id}~${position}`;
        break;
      case "emptied":
        fields.id = position === 0 ? id : ABSENT;
        break;
      case "never":
        break;
      default:
        quirks.id satisfies never;
    }
  }
}

/** One element of `tool_calls`, or the whole of `function_call`. */
function callFields(
  fields: CallFields,
  position: number,
  call: ModelCall,
  place: CallPlace,
  quirks: Quirks,
): JsonObject {
  const written = (value: unknown): unknown => (value === ABSENT ? quirks.absent : value);
  const isCustom = call.kind === "free";
  const body = defined({
    name: written(fields.name),
    [isCustom ? "input" : "arguments"]: written(fields.input),
  });
  if (quirks.shape === "legacy") return body;
  const isTyped =
    quirks.type === "every" || (position === 0 && (quirks.type === "first" || isCustom));
  const type = isCustom ? "custom" : "function";
  return defined({
    index: indexOf(place.call, position, quirks.index),
    id: written(fields.id),
    type: isTyped ? type : undefined,
    [type]: body,
    ...(quirks.hasEmptyCustom && !isCustom ? { custom: {} } : {}),
    ...(position === 0 ? call.extra : undefined),
  });
}

/** Deltas that share an event: in one choice where their order allows it. */
function chunkEvent(deltas: readonly Delta[], turn: ModelTurn, quirks: Quirks): Event {
  const choices: OpenChoice[] = [];
  for (const delta of deltas) {
    let open = choices[choices.length - 1];
    if (open?.number !== delta.choice || !open.add(delta)) {
      open = new OpenChoice(delta.choice, sharesLists(quirks));
      open.add(delta);
      choices.push(open);
    }
  }
  const calls = deltas.filter((delta) => delta.type === "call");
  return {
    data: payload(
      choices.map((open) => open.build(turn.choices[open.number] as ModelChoice, quirks)),
      quirks,
    ),
    starts: calls.flatMap(({ starts }) => starts ?? []),
    completes: calls.flatMap(({ completes }) => completes ?? []),
    isEnd: false,
  };
}

/** Without index, each name in a list is that of another call; so pieces of one do not share it. */
function sharesLists({ shape, index, name }: Quirks): boolean {
  return shape === "array" && !(index === "none" && (name === "split" || name === "growing"));
}

/** One choice of an event, while deltas are added to it. */
class OpenChoice {
  readonly number: number;
  #allowsSeveralCalls: boolean;
  #fields: Record<string, unknown> = {};
  #calls: JsonObject[] = [];
  #message: JsonObject | undefined;
  #finishReason: string | undefined;

  constructor(number: number, allowsSeveralCalls: boolean) {
    this.number = number;
    this.#allowsSeveralCalls = allowsSeveralCalls;
  }

  /** @returns whether the delta can stand here without overtaking another */
  add(delta: Delta): boolean {
    if (this.#finishReason !== undefined || this.#message !== undefined) return false;
    switch (delta.type) {
      case "text":
        // Reasoning and content are read in this order, and both before calls.
        if (this.#calls.length > 0 || "content" in this.#fields) return false;
        if (Object.keys(delta.fields).some((field) => field in this.#fields)) return false;
        Object.assign(this.#fields, delta.fields);
        return true;
      case "call":
        if (this.#calls.length > 0 && !this.#allowsSeveralCalls) return false;
        this.#calls.push(delta.call);
        return true;
      case "message":
        if (this.#calls.length > 0 || Object.keys(this.#fields).length > 0) return false;
        this.#message = { role: "assistant", tool_calls: delta.calls };
        return true;
      case "finish":
        this.#finishReason = delta.reason;
        return true;
      default:
        return delta satisfies never;
    }
  }

  build({ finishReasons }: ModelChoice, quirks: Quirks): JsonObject {
    const [call] = this.#calls;
    const calls = { array: { tool_calls: this.#calls }, single: { tool_calls: call } };
    const hasArray = quirks.shape === "array";
    const legacy = { function_call: call };
    const shape = quirks.shape === "legacy" ? legacy : calls[hasArray ? "array" : "single"];
    const everywhere = quirks.finish === "everywhere" ? finishReasons[0] : undefined;
    return defined({
      // A missing one is the first.
      index: this.number === 0 && quirks.absent === "" ? undefined : this.number,
      message: this.#message,
      delta:
        this.#message === undefined
          ? {
              ...this.#fields,
              ...(call === undefined ? {} : shape),
              ...(quirks.hasUnknownFields ? { audio: null, ...UNKNOWN_FIELDS } : {}),
            }
          : undefined,
      finish_reason: this.#finishReason ?? everywhere ?? null,
      ...(quirks.hasUnknownFields ? UNKNOWN_FIELDS : {}),
    });
  }
}

/** A whole choice where a delta belongs. */
function messageEvent(choice: ModelChoice, number: number, quirks: Quirks): Event {
  const { content, reasoning, calls, finishReasons } = choice;
  const places = calls.map((_call, position): CallPlace => ({ choice: number, call: position }));
  const strands = calls.map((call, position) =>
    callStrand(call, { choice: number, call: position }, quirks).flatMap((delta) =>
      delta.type === "call" ? [delta] : [],
    ),
  );
  const message = {
    role: "assistant",
    content: content === "" ? null : content,
    ...(reasoning === "" ? {} : { [quirks.reasoningField]: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: strands.flat().map(({ call }) => call) }),
  };
  const entries = [
    { index: number, message, finish_reason: finishReasons[0] ?? null },
    ...echo(choice, number, quirks).map((delta) => {
      const again =
        delta.type === "message" ? delta.calls : delta.type === "call" ? [delta.call] : [];
      return { index: number, message: { tool_calls: again }, finish_reason: null };
    }),
    ...finishReasons.slice(1).map((reason) => ({ index: number, finish_reason: reason })),
  ];
  return {
    data: payload(entries, quirks),
    starts: places,
    completes: strands.flat().flatMap(({ completes }) => completes ?? []),
    isEnd: false,
  };
}

function payload(choices: readonly JsonObject[], quirks: Quirks): JsonObject {
  return {
    id: "chatcmpl-1",
    object: "chat.completion.chunk",
    created: 1,
    model: "m",
    choices,
    ...(quirks.hasUnknownFields ? { "x-data": FOREIGN_CALL, ...UNKNOWN_FIELDS } : {}),
  };
}

const ERROR = { message: "The engine is overloaded", type: "server_error", code: 503, param: null };

function lastEvents({ usage, end }: ModelTurn, quirks: Quirks): Event[] {
  const events: Event[] = [];
  const add = (data: Event["data"], isEnd: boolean, name?: string): void => {
    events.push({ name, data, starts: [], completes: [], isEnd });
  };
  if (usage !== undefined) {
    // Moonshot reports it inside of a choice.
    const entries = quirks.absent === null ? [] : [{ index: 0, delta: {}, usage }];
    add({ ...payload(entries, quirks), usage: entries.length > 0 ? null : usage }, false);
  }
  if (end === "done") add("[DONE]", true);
  if (end === "error") add({ error: ERROR }, true, "error");
  if (end !== "body" && quirks.hasAfterword) {
    const call = { index: 0, function: { name: "after", arguments: '{"end":true}' } };
    add(payload([{ index: 0, delta: { content: "after", tool_calls: [call] } }], quirks), false);
    add("{", false);
  }
  return events;
}

/** The response of a server that does not stream. */
function bodyFrame(turn: ModelTurn, quirks: Quirks) {
  const events = deltaEvents(turn, quirks);
  const choices = events.flatMap(({ data }) =>
    typeof data === "string" ? [] : (data["choices"] as JsonObject[]),
  );
  const { usage, end } = turn;
  const body = defined({
    ...payload(choices, quirks),
    object: "chat.completion",
    usage,
    error: end === "error" ? ERROR : undefined,
  });
  return {
    text: json(body, quirks) + (end === "done" ? "\n[DONE]\n" : ""),
    starts: events.flatMap(({ starts }) => starts),
    completes: events.flatMap(({ completes }) => completes),
    isEnd: true,
  };
}

/** The noise of this dialect, as events or as the lines of a frame. */
function noiseEvents(kind: NoiseKind): (Event | string)[] {
  switch (kind) {
    case "no-choices":
      return silentEvent({ object: "chat.completion.chunk", choices: [] });
    case "null-choices":
      return silentEvent({ choices: null, prompt_filter_results: [] });
    case "empty-delta":
      return silentEvent({ choices: [{ index: 0, delta: {} }] });
    case "null-delta":
      return silentEvent({ choices: [{ index: 0, delta: null, finish_reason: null }] });
    case "blank-delta":
      return silentEvent({
        choices: [{ delta: { content: "", role: "assistant", tool_calls: [] } }],
      });
    case "usage":
      return silentEvent({ choices: [], usage: { total_tokens: 1 } });
    default:
      return commonNoise(kind) ?? [];
  }
}
