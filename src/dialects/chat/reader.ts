import { isObject, type JsonObject, presentString } from "../../json/object.ts";
import type { CallDelta, Delta } from "../delta.ts";
import type { DialectReader, ResponseDialect } from "../dialect.ts";
import {
  argumentText,
  indexKey,
  isReasonIn,
  nameIn,
  objectOr,
  textIn,
  unknownFields,
  words,
} from "../fields.ts";
import { isOtherEntry } from "./entries.ts";
import { readProviderError } from "../provider-error.ts";

/** Where the reasoning stands: DeepSeek and Moonshot, vLLM and OpenRouter, Copilot, and others. */
const REASONING_FIELDS = /* @__PURE__ */ words(
  "reasoning_content reasoning reasoning_text thinking",
);

/** The types of a part of content that is reasoning. */
const REASONING_TYPES = /* @__PURE__ */ words("thinking reasoning");

/** Who has written a message that is not the model's: only the calls in it are. */
const OTHER_ROLES = /* @__PURE__ */ words("tool user system developer function");

/** What a chunk says of the response itself. */
const RESPONSE_FIELDS = ["id", "model", "created", "system_fingerprint", "service_tier"];

/** The reasons of a normal end, in the words of OpenAI, Anthropic, Gemini and TGI. */
const NORMAL_REASONS = /* @__PURE__ */ words(
  "stop tool_calls function_call end_turn tool_use stop_sequence completed eos_token",
);

/** The other fields of a delta that are read below. */
const KNOWN_DELTA_FIELDS = /* @__PURE__ */ words("role content tool_calls function_call");

/** The fields of a call, and of its `function` or `custom`, that are read below. */
const KNOWN_CALL_FIELDS = /* @__PURE__ */ words(
  "index id type function custom name arguments input",
);

/** More than anyone sends: a server must not fill the memory with them. */
const MAX_OTHERS = 1024;

/** The bucket of the one call that `function_call` can carry. */
const LEGACY_INDEX = "function_call";

/** OpenAI Chat Completions, from OpenAI and from servers that say they are compatible. */
export const chat: ResponseDialect = {
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

  openReader: () => new ChatReader(),

  isNormalReason: (reason) => isReasonIn(NORMAL_REASONS, reason),
};

class ChatReader implements DialectReader {
  /** What has been said of the response. */
  #said = new Map<string, unknown>();
  /** By choice and index: the entries of `tool_calls` that are no calls. Later pieces leave the type out. */
  #others = new Set<string>();

  /** What is said of the response is read only where it changes. */
  get isStateless(): boolean {
    return this.#others.size === 0;
  }

  read(payload: JsonObject): Delta[] {
    const deltas: Delta[] = [];
    const { choices } = payload;
    // Azure sends `choices: null` beside its filter results.
    if (Array.isArray(choices)) {
      for (const choice of choices) if (isObject(choice)) this.#readChoice(choice, deltas);
    }
    readOutcome(payload, deltas);
    // Groq reports an error that comes too late for a status here.
    readError(objectOr(payload["x_groq"]), deltas);
    const news = RESPONSE_FIELDS.filter((field) => this.#isNew(field, payload[field]));
    if (news.length > 0) {
      const fields = Object.fromEntries(news.map((field) => [field, payload[field]]));
      deltas.push({ type: "response", fields });
    }
    return deltas;
  }

  end(): Delta[] {
    return [];
  }

  #isNew(field: string, value: unknown): boolean {
    const isSaid = typeof value === "number" || presentString(value) !== undefined;
    if (!isSaid || this.#said.get(field) === value) return false;
    this.#said.set(field, value);
    return true;
  }

  #readChoice(choice: JsonObject, deltas: Delta[]): void {
    const number = choiceNumber(choice["index"]);
    const count = deltas.length;
    const { delta } = choice;
    const message = delta ?? choice["message"];
    if (isObject(message)) {
      const isFromMessage = message !== delta;
      if (!OTHER_ROLES.has(presentString(message["role"]) ?? "")) {
        readFields(message, number, isFromMessage, deltas);
      }
      this.#readCalls(message, number, isFromMessage, deltas);
      readReferences(message["reasoning_details"], number, deltas);
    }
    // After the delta: the event with the finish reason may bring whole calls.
    const reason = presentString(choice["finish_reason"]);
    if (reason !== undefined) deltas.push({ type: "finish", choice: number, reason });
    else if (deltas.length === count) deltas.push({ type: "choice", choice: number });
    // Moonshot reports usage here.
    readOutcome(choice, deltas);
  }

  #readCalls(message: JsonObject, choice: number, isFromMessage: boolean, deltas: Delta[]): void {
    const { tool_calls: calls, function_call: legacyCall } = message;
    const list = Array.isArray(calls) ? calls : [calls];
    const count = deltas.length;
    const others: JsonObject[] = [];
    for (const [position, call] of list.entries()) {
      if (!isObject(call)) continue;
      // In a whole message, the position of a call is its index.
      const index = indexKey(call["index"]) ?? (isFromMessage ? `${position}` : undefined);
      const key = index === undefined ? undefined : `${choice} ${index}`;
      if (this.#isOther(call, key)) others.push({ ...call, index });
      else {
        const callDelta = readCall(call, choice, index, position > 0, isFromMessage);
        if (callDelta !== undefined) deltas.push(callDelta);
      }
    }
    if (others.length > 0) {
      deltas.push({ type: "field", choice, field: "tool_calls", value: others, isFromMessage });
    }
    if (deltas.length > count || !isObject(legacyCall)) return;
    const callDelta = readCall(
      { function: legacyCall },
      choice,
      LEGACY_INDEX,
      false,
      isFromMessage,
    );
    // Such a call has no id, and no place for one.
    if (callDelta !== undefined) deltas.push({ ...callDelta, places: undefined });
  }

  #isOther(entry: JsonObject, key: string | undefined): boolean {
    const isOther = isOtherEntry(entry);
    if (key === undefined) return isOther;
    if (isOther && this.#others.size < MAX_OTHERS) this.#others.add(key);
    return isOther || (this.#others.has(key) && !isObject(entry["function"]));
  }
}

function readOutcome(holder: JsonObject, deltas: Delta[]): void {
  const { usage } = holder;
  if (isObject(usage)) deltas.push({ type: "usage", usage });
  readError(holder, deltas);
}

function readError(holder: JsonObject, deltas: Delta[]): void {
  const error = readProviderError(holder);
  if (error !== undefined) deltas.push({ type: "error", error });
}

/** Reads the fields of a message, or of a delta of one, its calls aside. */
function readFields(
  message: JsonObject,
  choice: number,
  isFromMessage: boolean,
  deltas: Delta[],
): void {
  const add = (field: string, value: unknown): void => {
    // Some servers send every field, also an empty one.
    const isEmpty = value === null || value === "" || (Array.isArray(value) && value.length === 0);
    if (!isEmpty) deltas.push({ type: "field", choice, field, value, isFromMessage });
  };
  const show = (
    type: "text" | "reasoning",
    field: string,
    value: string,
    isText: boolean,
  ): void => {
    if (value === "") return;
    const isOnlyShown = isText ? undefined : true;
    deltas.push({ type, choice, field, value, isFromMessage, isOnlyShown });
  };
  let isShown = false;
  for (const field of REASONING_FIELDS) {
    const value = message[field];
    if (value === undefined) continue;
    const isText = typeof value === "string" || typeof value === "number";
    const text = textIn(value);
    // Several fields in one delta say the same; the message keeps each.
    if (!isText || isShown) add(field, isText ? text : value);
    if (!isShown) show("reasoning", field, text, isText);
    isShown ||= text !== "";
  }
  const content = contentOf(message["content"]);
  if (typeof content === "string") show("text", "content", content, true);
  else {
    add("content", content);
    for (const part of content) {
      const { type, text = part } = objectOr(part);
      const isReasoning = REASONING_TYPES.has(presentString(type) ?? "");
      if (!isReasoning) show("text", "content", isObject(text) ? "" : textIn(text), false);
      else if (!isShown) show("reasoning", "content", textIn(part), false);
    }
  }
  for (const field in message) {
    if (!KNOWN_DELTA_FIELDS.has(field) && !REASONING_FIELDS.has(field)) add(field, message[field]);
  }
}

/** Content is a text or (Mistral) a list of parts. A list of one plain text is no more than the text. */
function contentOf(content: unknown): string | readonly unknown[] {
  // Some servers send a token that is a number or `true` as what it is in JSON.
  if (typeof content !== "object") return content === undefined ? "" : `${content as string}`;
  if (content === null) return "";
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  const { type, text, ...rest } = objectOr(parts[0]);
  const isText = parts.length === 1 && type === "text" && typeof text === "string";
  return isText && Object.keys(rest).length === 0 ? text : parts;
}

/** OpenRouter: the id of a detail may be that of the call that it signs, which mostly comes later. */
function readReferences(details: unknown, choice: number, deltas: Delta[]): void {
  for (const holder of Array.isArray(details) ? details : []) {
    if (!isObject(holder)) continue;
    const id = presentString(holder["id"]);
    if (id === undefined) continue;
    // OpenAI signs its own reasoning so, and knows that by its id.
    const isAhead = holder["type"] === "reasoning.encrypted" && !id.startsWith("rs_");
    deltas.push({ type: "reference", choice, id, isAhead, places: [{ holder, field: "id" }] });
  }
}

function readCall(
  call: JsonObject,
  choice: number,
  index: string | undefined,
  isFurther: boolean,
  isFromMessage: boolean,
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
  // The type of a call that the server runs goes back with it.
  const type = presentString(call["type"]);
  if (type !== undefined && type !== "function" && type !== "custom") extra = { type, ...extra };
  return {
    type: "call",
    choice,
    index,
    isFurther,
    isFromMessage,
    // langchainjs#11373: a missing id became text on its way.
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
