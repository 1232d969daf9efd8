import { type JsonObject, presentString } from "../../json/object.ts";
import { jsonText } from "../../json/json-value.ts";
import { TextBuffer } from "../../json/text-buffer.ts";
import type { ResponsesItem, ToolCall } from "../../types.ts";
import type { MessageDraft } from "../dialect.ts";
import { argumentsOf, nameOf } from "../fields.ts";
import { type PartDraft, PartsDraft } from "../parts.ts";
import { CUSTOM_CALL } from "./items.ts";
import { SEPARATOR } from "./reader.ts";

/** An empty list of items. */
export function draftResponsesItems(): MessageDraft {
  return new PartsDraft(ItemDraft, writeCall);
}

/** An item that is no call: the item in its end, else the item in its start with the texts so far. */
class ItemDraft implements PartDraft<ResponsesItem> {
  #content: JsonObject = {};
  /** By their types and indices. */
  #texts = new Map<string, TextBuffer>();
  #length = 0;

  replace(content: JsonObject): number {
    const before = this.#length;
    this.#content = content;
    this.#texts.clear();
    this.#length = jsonText(content).length;
    return this.#length - before;
  }

  add(path: string, fragment: string): number {
    const text = this.#texts.get(path) ?? new TextBuffer();
    this.#texts.set(path, text);
    text.append(fragment);
    this.#length += fragment.length;
    return fragment.length;
  }

  /**
   * An item id is bound to the server that minted it, some ids to one connection: elsewhere, a history
   * with such an id is rejected. Only reasoning without its encrypted content, which is nothing but its
   * id, and the items of hosted tools keep their ids.
   */
  write(): ResponsesItem {
    const { id, status, ...content } = this.#texts.size > 0 ? this.#cut() : this.#content;
    const { type, encrypted_content: encrypted } = content;
    const isReasoning = type === "reasoning";
    const isWithoutId =
      type === "message" || (isReasoning && presentString(encrypted) !== undefined);
    return {
      ...content,
      ...(!isWithoutId && id !== undefined && { id }),
      // OpenAI answers 400 to reasoning with a status.
      ...(!isReasoning && status !== undefined && { status }),
    } as ResponsesItem; // The reader opens no item without a type.
  }

  #cut(): JsonObject {
    const texts = [...this.#texts].map(([path, text]) => writeText(path, text.toString()));
    const content = texts.filter(({ type }) => type !== "summary_text");
    const summary = texts.filter(({ type }) => type === "summary_text");
    return {
      ...this.#content,
      ...(this.#content["type"] === "reasoning" && { summary }),
      ...(content.length > 0 && { content }),
      status: "incomplete",
    };
  }
}

function writeText(path: string, text: string): JsonObject {
  const [type] = path.split(SEPARATOR);
  if (type === "refusal") return { type, refusal: text };
  return { type, text, ...(type === "output_text" && { annotations: [] }) };
}

function writeCall(call: ToolCall): ResponsesItem {
  const isCustom = call.type === "custom";
  return {
    type: isCustom ? CUSTOM_CALL : "function_call",
    ...call.extra,
    call_id: call.id,
    name: nameOf(call),
    [isCustom ? "input" : "arguments"]: isCustom ? call.arguments : argumentsOf(call),
    status: call.status === "complete" ? "completed" : "incomplete",
  };
}
