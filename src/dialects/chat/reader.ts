import { jsonText } from "../../json/json-value.ts";
import { TextBuffer } from "../../json/text-buffer.ts";
import { isObject, presentString, readProviderError } from "../provider-error.ts";
import type {
  ChatAssistantMessage,
  ChatMessageToolCall,
  JsonObject,
  ToolCall,
} from "../../types.ts";
import type { CallDelta, Delta, MessageDraft, PartDelta, WireDialect } from "../dialect.ts";
import type { HistoryDialect } from "../history-dialect.ts";
import {
  argumentsOf,
  argumentText,
  idOf,
  indexKey,
  isReasonIn,
  nameIn,
  nameOf,
  objectOr,
  unknownFields,
  words,
} from "../fields.ts";

/** Where the reasoning stands: DeepSeek and Moonshot, then vLLM and OpenRouter. */
const REASONING_FIELDS = /* @__PURE__ */ words("reasoning_content reasoning");

/** In the spellings of OpenAI, Anthropic, Gemini and Text Generation Inference. */
const NORMAL_REASONS = /* @__PURE__ */ words(
  "stop tool_calls function_call end_turn tool_use stop_sequence completed eos_token",
);

/** The other fields of which deltas bring pieces. */
const TEXT_FIELDS = /* @__PURE__ */ words("content refusal");

/** The other fields of a delta that are read below. */
const KNOWN_DELTA_FIELDS = /* @__PURE__ */ words("role content tool_calls function_call");

/** The fields of a call, and of what it calls, that are read below. */
const KNOWN_CALL_FIELDS = /* @__PURE__ */ words(
  "index id type function custom name arguments input",
);

/** The bucket of the one call that `function_call` can carry. */
const LEGACY_INDEX = "function_call";

/** OpenAI Chat Completions, as it is sent by OpenAI and by those who say they are compatible. */
export const chat: WireDialect = {
  name: "chat",
  hasFurtherCalls: true,
  hasKinds: false,
  endsWithDone: true,

  matches(payload) {
    return (
      Array.isArray(payload["choices"]) ||
      payload["object"] === "chat.completion.chunk" ||
      payload["object"] === "chat.completion"
    );
  },

  openReader: () => ({ isStateless: true, read: readPayload, end: () => [] }),

  isNormalReason: (reason) => isReasonIn(NORMAL_REASONS, reason),

  draftMessage: () => new ChatMessageDraft(),
};

/** Its histories. */
export const chatHistory: HistoryDialect = {
  name: "chat",
  isItemized: false,

  endsTurn: () => true,

  writeResult(call, content) {
    return { role: "tool", tool_call_id: call.id, name: nameOf(call), content };
  },

  readReferences(message) {
    if (message["role"] === "tool") {
      const id = idOf(message["tool_call_id"]);
      return [{ type: "result", id, name: undefined, holder: message, field: "tool_call_id" }];
    }
    return callsOf(message).map((call) => {
      const body = isObject(call["custom"]) ? call["custom"] : objectOr(call["function"]);
      const name = presentString(body["name"]);
      return { type: "call", id: idOf(call["id"]), name, holder: call, field: "id" };
    });
  },

  writeIds(message, ids) {
    if (message["role"] === "tool") return { ...message, tool_call_id: ids[0] };
    const calls: JsonObject[] = [];
    for (const call of callsOf(message)) calls.push({ ...call, id: ids[calls.length] });
    return { ...message, tool_calls: calls };
  },
};

/**
 * What the server would have sent without streaming: texts joined, all else by its field, and the
 * calls. Reasoning goes back under the field it came in: Moonshot answers 400 when it is missing.
 */
class ChatMessageDraft implements MessageDraft {
  #texts = new Map<string, TextBuffer>();
  #values = new Map<string, unknown>();
  #audio: Fields = new Map();
  /** By index and type: what `reasoning_details` (OpenRouter) consists of. */
  #details = new Map<string, Fields>();
  /** The fields that deltas, and not only whole messages, have brought. */
  #fieldsOfDeltas = new Set<string>();

  add(delta: PartDelta): number | undefined {
    const { field, value } = delta;
    if (!delta.isWhole) this.#fieldsOfDeltas.add(field);
    else if (this.#fieldsOfDeltas.has(field)) return undefined;
    const isText = TEXT_FIELDS.has(field) || REASONING_FIELDS.has(field);
    if (isText && typeof value === "string") {
      const text = this.#texts.get(field) ?? new TextBuffer();
      this.#texts.set(field, text);
      text.append(value);
      return value.length;
    }
    let growth = jsonText(value).length;
    if (field === "audio" && isObject(value)) joinTo(this.#audio, value, ["data", "transcript"]);
    else if (field === "reasoning_details" && Array.isArray(value)) this.#addDetails(value);
    else {
      // The last value counts, as in OpenAI's SDK.
      growth += this.#values.has(field) ? -jsonText(this.#values.get(field)).length : field.length;
      this.#values.set(field, value);
    }
    return growth;
  }

  write(calls: readonly ToolCall[]): ChatAssistantMessage {
    const texts = [...this.#texts].map(([field, text]) => [field, text.toString()]);
    const details = [...this.#details.values()].map((fields) => Object.fromEntries(fields));
    return {
      role: "assistant",
      content: null,
      // Not `Object.assign`: a field may be named `__proto__`.
      ...(Object.fromEntries([...this.#values, ...texts]) as object),
      ...(this.#audio.size > 0 && { audio: Object.fromEntries(this.#audio) }),
      ...(details.length > 0 && { reasoning_details: details }),
      // DeepSeek answers 400 to an empty list.
      ...(calls.length > 0 && { tool_calls: calls.map(writeCall) }),
    };
  }

  /** Pieces of one detail have its index and type. */
  #addDetails(details: readonly unknown[]): void {
    for (const [position, detail] of details.entries()) {
      if (!isObject(detail)) continue;
      const key = `${detail["index"] ?? position} ${detail["type"]}`;
      const fields: Fields = this.#details.get(key) ?? new Map();
      this.#details.set(key, fields);
      joinTo(fields, detail, ["text", "summary"]);
    }
  }
}

type Fields = Map<string, unknown>;

/** Takes the fields of a piece; those in `texts` continue what came before. */
function joinTo(fields: Fields, piece: JsonObject, texts: readonly string[]): void {
  for (const [field, value] of Object.entries(piece)) {
    if (value === null) continue;
    const before = fields.get(field);
    const isText = texts.includes(field) && typeof before === "string" && typeof value === "string";
    fields.set(field, isText ? before + value : value);
  }
}

function callsOf(message: JsonObject): JsonObject[] {
  const { tool_calls: calls } = message;
  return Array.isArray(calls) ? calls.filter(isObject) : [];
}

function writeCall(call: ToolCall): ChatMessageToolCall {
  const { function: functionExtra, custom: customExtra, ...extra } = call.extra ?? {};
  const { id } = call;
  const name = nameOf(call);
  if (call.type === "custom") {
    const custom = { ...objectOr(customExtra), name, input: call.arguments };
    return { ...extra, id, type: "custom", custom };
  }
  const body = { ...objectOr(functionExtra), name, arguments: argumentsOf(call) };
  return { ...extra, id, type: "function", function: body };
}

function readPayload(payload: JsonObject): Delta[] {
  const deltas: Delta[] = [];
  const { choices } = payload;
  // Azure sends `choices: null` beside its filter results.
  if (Array.isArray(choices)) {
    for (const choice of choices) if (isObject(choice)) readChoice(choice, deltas);
  }
  readOutcome(payload, deltas);
  return deltas;
}

function readChoice(choice: JsonObject, deltas: Delta[]): void {
  const number = choiceNumber(choice["index"]);
  const count = deltas.length;
  const { delta } = choice;
  const message = delta ?? choice["message"];
  if (isObject(message)) readMessage(message, number, message !== delta, deltas);
  // After the delta: the event with the finish reason may bring whole calls.
  const reason = presentString(choice["finish_reason"]);
  if (reason !== undefined) deltas.push({ type: "finish", choice: number, reason });
  else if (deltas.length === count) deltas.push({ type: "choice", choice: number });
  // Moonshot reports usage here.
  readOutcome(choice, deltas);
}

function readOutcome(holder: JsonObject, deltas: Delta[]): void {
  const { usage } = holder;
  if (isObject(usage)) deltas.push({ type: "usage", usage });
  const error = readProviderError(holder);
  if (error !== undefined) deltas.push({ type: "error", error });
}

/** Reads a message, or a delta of one. */
function readMessage(message: JsonObject, choice: number, isWhole: boolean, deltas: Delta[]): void {
  let isShown = false;
  for (const field of REASONING_FIELDS) {
    const value = presentString(message[field]);
    if (value === undefined) continue;
    // Both fields in one delta say the same; the message keeps each.
    deltas.push({ type: isShown ? "field" : "reasoning", choice, field, value, isWhole });
    isShown = true;
  }
  const text = contentText(message["content"]);
  if (text) deltas.push({ type: "text", choice, field: "content", value: text, isWhole });
  for (const field in message) {
    const value = message[field];
    // What some servers send of a field that they have nothing for.
    const isEmpty = value === null || value === "" || (Array.isArray(value) && value.length === 0);
    const isRead = KNOWN_DELTA_FIELDS.has(field) || REASONING_FIELDS.has(field);
    if (isRead || isEmpty) continue;
    deltas.push({ type: "field", choice, field, value, isWhole });
  }
  const { tool_calls: calls, function_call: legacyCall } = message;
  const list = Array.isArray(calls) ? calls : [calls];
  const count = deltas.length;
  for (const [position, call] of list.entries()) {
    if (!isObject(call)) continue;
    // A message lists its calls; there the position is the index.
    const index = indexKey(call["index"]) ?? (isWhole ? `${position}` : undefined);
    const callDelta = readCall(call, choice, index, position > 0, isWhole);
    if (callDelta !== undefined) deltas.push(callDelta);
  }
  if (deltas.length === count && isObject(legacyCall)) {
    const callDelta = readCall({ function: legacyCall }, choice, LEGACY_INDEX, false, isWhole);
    // Such a call has no id, and no place for one.
    if (callDelta !== undefined) deltas.push({ ...callDelta, places: [] });
  }
}

/** Content is a string, or (Mistral) a list of parts, of which those of type `text` are shown. */
function contentText(content: unknown): string | undefined {
  if (!Array.isArray(content)) return presentString(content);
  return content.map((part: unknown) => presentString(objectOr(part)["text"])).join("");
}

function readCall(
  call: JsonObject,
  choice: number,
  index: string | undefined,
  isFurther: boolean,
  isWhole: boolean,
): CallDelta | undefined {
  const custom = objectOr(call["custom"]);
  // An empty `custom: {}` beside `function` means nothing.
  const hasCustom = Boolean(custom["name"] || custom["input"]);
  const isCustom = hasCustom || (call["type"] === "custom" && !("function" in call));
  // Some servers leave `function` out and send its fields with the others.
  let body = call;
  if (hasCustom) body = custom;
  else if (isObject(call["function"])) body = call["function"];
  const id = presentString(call["id"]);
  const name = nameIn(body);
  const fragment = argumentText(isCustom ? body["input"] : body["arguments"]);
  let extra = unknownFields(call, KNOWN_CALL_FIELDS);
  const bodyExtra = body === call ? undefined : unknownFields(body, KNOWN_CALL_FIELDS);
  if (bodyExtra !== undefined) extra = { ...extra, [isCustom ? "custom" : "function"]: bodyExtra };
  // An opener with nothing but an index says nothing yet.
  if (!id && !name && !fragment && !extra) return undefined;
  return {
    type: "call",
    choice,
    index,
    isFurther,
    isWhole,
    // langchainjs#11373: a missing id that was made text on its way.
    id: id === "null" ? undefined : id,
    name,
    isCustom,
    fragment,
    extra,
    places: [{ holder: call, field: "id", mayInsert: true }],
  };
}

/** A missing choice index is 0. */
function choiceNumber(index: unknown): number {
  if (typeof index === "number") return index;
  const number = typeof index === "string" ? Number(index) : 0;
  return Number.isInteger(number) ? number : 0;
}
