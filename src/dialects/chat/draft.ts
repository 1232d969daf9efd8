import { isObject, type JsonObject, presentString } from "../../json/object.ts";
import type { ChatAssistantMessage, ChatMessageToolCall, ToolCall } from "../../types.ts";
import type { PartDelta } from "../delta.ts";
import type { MessageDraft } from "../dialect.ts";
import { argumentsOf, nameOf, objectOr } from "../fields.ts";
import { FreshIds } from "../fresh-ids.ts";
import { JoinedFields } from "../joined-fields.ts";

/** What a part of content may have that is nothing but text. */
const PLAIN_FIELD = /^(?:type|text|index)$/;

/** An empty message. */
export function draftChatMessage(): MessageDraft {
  return new ChatMessageDraft();
}

/**
 * The message that the server would have sent without streaming: fields joined, and the calls. Reasoning
 * keeps the name and the form of its field: Moonshot answers 400 when it is missing.
 */
class ChatMessageDraft implements MessageDraft {
  #fields = new JoinedFields();
  /** The fields that deltas have brought; a whole message cannot change these. */
  #fieldsOfDeltas = new Set<string>();

  add({ field, value, isFromMessage, isOnlyShown }: PartDelta): number | undefined {
    if (!isFromMessage) this.#fieldsOfDeltas.add(field);
    else if (this.#fieldsOfDeltas.has(field)) return undefined;
    return isOnlyShown ? 0 : this.#fields.add(field, value);
  }

  write(calls: readonly ToolCall[]): ChatAssistantMessage {
    const { content, tool_calls: others, ...fields } = new FreshIds(calls).in(this.#fields.write());
    const entries = withOthers(calls.map(writeCall), others);
    // What else a server has sent is in the value, not in the type.
    return {
      role: "assistant",
      content: writeContent(content),
      ...fields,
      // DeepSeek answers 400 to an empty list.
      ...(entries.length > 0 && { tool_calls: entries }),
    } as ChatAssistantMessage;
  }
}

/** A list that holds more than text stays one. */
function writeContent(content: unknown = null): unknown {
  if (!Array.isArray(content)) return content;
  const texts = content.map((part: unknown) => (isObject(part) ? plainText(part) : part));
  return texts.every((text) => typeof text === "string") ? texts.join("") : content;
}

function plainText(part: JsonObject): string | undefined {
  const { type = "text", text } = part;
  const isPlain = type === "text" && Object.keys(part).every((field) => PLAIN_FIELD.test(field));
  return isPlain ? presentString(text) : undefined;
}

/** The calls, and the entries of other types between them. An index is the place in this list. */
function withOthers(calls: readonly JsonObject[], others: unknown): unknown[] {
  const entries: unknown[] = [...calls];
  const list = Array.isArray(others) ? others.filter(isObject) : [];
  const placed = list.map(({ index = Infinity, ...entry }) => ({ place: Number(index), entry }));
  placed.sort((a, b) => a.place - b.place);
  for (const { place, entry } of placed) entries.splice(place, 0, entry);
  return entries;
}

function writeCall(call: ToolCall): ChatMessageToolCall & JsonObject {
  const {
    type = "function",
    function: functionExtra,
    custom: customExtra,
    ...extra
  } = call.extra ?? {};
  const { id } = call;
  const name = nameOf(call);
  if (call.type === "custom") {
    const custom = { ...objectOr(customExtra), name, input: call.arguments };
    return { ...extra, id, type: "custom", custom };
  }
  const body = { ...objectOr(functionExtra), name, arguments: argumentsOf(call) };
  // Some servers have types of their own for calls that they run.
  return { ...extra, id, type: type as "function", function: body };
}
