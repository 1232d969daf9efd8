import { isObject, type JsonObject } from "../../json/object.ts";
import { jsonText } from "../../json/json-value.ts";
import { TextBuffer } from "../../json/text-buffer.ts";
import type { ChatAssistantMessage, ChatMessageToolCall, ToolCall } from "../../types.ts";
import type { PartDelta } from "../delta.ts";
import type { MessageDraft } from "../dialect.ts";
import { argumentsOf, nameOf, objectOr, words } from "../fields.ts";
import { REASONING_FIELDS } from "./reader.ts";

/** The other fields that deltas bring in pieces. */
const TEXT_FIELDS = /* @__PURE__ */ words("content refusal");

/** An empty message. */
export function draftChatMessage(): MessageDraft {
  return new ChatMessageDraft();
}

/**
 * The message that the server would have sent without streaming: texts joined, all else by its field,
 * and the calls. Reasoning keeps the name of its field: Moonshot answers 400 when it is missing.
 */
class ChatMessageDraft implements MessageDraft {
  #texts = new Map<string, TextBuffer>();
  #values = new Map<string, unknown>();
  #audio: Fields = new Map();
  /** By index and type: the elements of `reasoning_details` (OpenRouter). */
  #details = new Map<string, Fields>();
  /** The fields that deltas have brought; a whole message cannot change these. */
  #fieldsOfDeltas = new Set<string>();

  add(delta: PartDelta): number | undefined {
    const { field, value } = delta;
    if (!delta.isFromMessage) this.#fieldsOfDeltas.add(field);
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

  /** Pieces with the same index and type are one detail. */
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

/** Takes the fields of a piece; a field in `texts` continues its text so far. */
function joinTo(fields: Fields, piece: JsonObject, texts: readonly string[]): void {
  for (const [field, value] of Object.entries(piece)) {
    if (value === null) continue;
    const before = fields.get(field);
    const isText = texts.includes(field) && typeof before === "string" && typeof value === "string";
    fields.set(field, isText ? before + value : value);
  }
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
