import { isObject, type JsonObject, presentString } from "../../json/object.ts";
import type { CallDelta, Delta } from "../delta.ts";
import type { ResponseDialect } from "../dialect.ts";
import {
  argumentText,
  indexKey,
  isReasonIn,
  nameIn,
  objectOr,
  unknownFields,
  words,
} from "../fields.ts";
import { readProviderError } from "../provider-error.ts";

/** Where the reasoning stands: DeepSeek and Moonshot, then vLLM and OpenRouter. */
export const REASONING_FIELDS: ReadonlySet<string> = /* @__PURE__ */ words(
  "reasoning_content reasoning",
);

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

  openReader: () => ({ isStateless: true, read: readPayload, end: () => [] }),

  isNormalReason: (reason) => isReasonIn(NORMAL_REASONS, reason),
};

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
function readMessage(
  message: JsonObject,
  choice: number,
  isFromMessage: boolean,
  deltas: Delta[],
): void {
  let isShown = false;
  for (const field of REASONING_FIELDS) {
    const value = presentString(message[field]);
    if (value === undefined) continue;
    // Both fields in one delta say the same; the message keeps each.
    deltas.push({ type: isShown ? "field" : "reasoning", choice, field, value, isFromMessage });
    isShown = true;
  }
  const text = contentText(message["content"]);
  if (text) deltas.push({ type: "text", choice, field: "content", value: text, isFromMessage });
  for (const field in message) {
    const value = message[field];
    // Some servers send every field, also an empty one.
    const isEmpty = value === null || value === "" || (Array.isArray(value) && value.length === 0);
    const isRead = KNOWN_DELTA_FIELDS.has(field) || REASONING_FIELDS.has(field);
    if (isRead || isEmpty) continue;
    deltas.push({ type: "field", choice, field, value, isFromMessage });
  }
  const { tool_calls: calls, function_call: legacyCall } = message;
  const list = Array.isArray(calls) ? calls : [calls];
  const count = deltas.length;
  for (const [position, call] of list.entries()) {
    if (!isObject(call)) continue;
    // In a whole message, the position of a call is its index.
    const index = indexKey(call["index"]) ?? (isFromMessage ? `${position}` : undefined);
    const callDelta = readCall(call, choice, index, position > 0, isFromMessage);
    if (callDelta !== undefined) deltas.push(callDelta);
  }
  if (deltas.length === count && isObject(legacyCall)) {
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
}

/** Content is a string or (Mistral) a list of parts; only the parts of type `text` are shown. */
function contentText(content: unknown): string | undefined {
  if (!Array.isArray(content)) return presentString(content);
  return content.map((part: unknown) => presentString(objectOr(part)["text"])).join("");
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
