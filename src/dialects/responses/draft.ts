import { type JsonObject, presentString } from "../../json/object.ts";
import { jsonText } from "../../json/json-value.ts";
import type { ResponsesItem, ToolCall } from "../../types.ts";
import type { MessageDraft, Show } from "../dialect.ts";
import { argumentsOf, nameOf, objectOr } from "../fields.ts";
import { FreshIds } from "../fresh-ids.ts";
import { type PartDraft, PartsDraft } from "../parts.ts";
import { ItemPart } from "./item-part.ts";
import { CUSTOM_CALL, partTypeIn, SEPARATOR, SHOWN_TYPES, SUMMARY } from "./items.ts";

/** An empty list of items. */
export function draftResponsesItems(): MessageDraft {
  const parts = new PartsDraft(ItemDraft, writeCall);
  return {
    add: (delta, show) => parts.add(delta, show),
    write: (calls) => new FreshIds(calls).in(parts.write(calls)),
  };
}

/** The fields of an item that list its parts. */
const LISTS = ["summary", "content"] as const;

/** An item that is no call: its end, else its start, with all texts that have come. */
class ItemDraft implements PartDraft<ResponsesItem> {
  /** Without its parts. */
  #content: JsonObject = {};
  #contentLength = 0;
  #isEnded = false;
  /** By path. */
  #parts = new Map<string, ItemPart>();

  replace(content: JsonObject, isEnd: boolean, show: Show): number {
    let growth = 0;
    const rest: Record<string, unknown> = { ...content };
    for (const list of LISTS) {
      const values = content[list];
      if (!Array.isArray(values)) continue;
      rest[list] = [];
      for (const [index, value] of values.entries()) {
        const type = list === "summary" ? SUMMARY : objectOr(value)["type"];
        const path = `${partTypeIn(content["type"], type)}${SEPARATOR}${index}`;
        growth += this.#replacePart(path, value, show);
      }
    }
    if (this.#isEnded) return growth;
    this.#isEnded = isEnd;
    this.#content = rest;
    growth -= this.#contentLength;
    this.#contentLength = jsonText(rest).length;
    return growth + this.#contentLength;
  }

  /** @param value a piece of the text, or the part with all of it */
  add(path: string, value: unknown, show: Show): number | undefined {
    if (typeof value !== "string") {
      return this.#replacePart(path, { ...defaultsOf(path), ...objectOr(value) }, show);
    }
    const before = this.#lengthOf(path);
    const part = this.#partAt(path);
    return part.append(value) ? part.length - before : undefined;
  }

  /**
   * An item id is bound to the server that minted it, some ids to one connection: elsewhere, a history
   * with such an id is rejected. Only reasoning without its encrypted content, which is nothing but its
   * id, and the items of hosted tools keep their ids.
   */
  write(isCompleted: boolean): ResponsesItem {
    const { id, status, ...content }: Record<string, unknown> = this.#content;
    const { type, encrypted_content: encrypted } = content;
    const isReasoning = type === "reasoning";
    const isWithoutId =
      type === "message" || (isReasoning && presentString(encrypted) !== undefined);
    const hasParts = this.#parts.size > 0;
    const isCut = !this.#isEnded && (hasParts || (isCompleted && status !== undefined));
    const ending = isCompleted ? "completed" : "incomplete";
    for (const list of LISTS) {
      const parts = this.#partsOf(list).map((part) => part.write());
      if (parts.length > 0) content[list] = parts;
    }
    return {
      ...(isReasoning && !this.#isEnded && { summary: [] }),
      ...content,
      ...(!isWithoutId && id !== undefined && { id }),
      // OpenAI answers 400 to reasoning with a status.
      ...(!isReasoning && (isCut || status !== undefined) && { status: isCut ? ending : status }),
    } as ResponsesItem; // The reader opens no item without a type.
  }

  /** By their indices. */
  #partsOf(list: string): ItemPart[] {
    return [...this.#parts]
      .filter(([path]) => (typeIn(path) === SUMMARY) === (list === "summary"))
      .sort(([a], [b]) => indexIn(a) - indexIn(b))
      .map(([, part]) => part);
  }

  #lengthOf(path: string): number {
    return this.#parts.get(path)?.length ?? 0;
  }

  #partAt(path: string): ItemPart {
    const part = this.#parts.get(path) ?? new ItemPart(defaultsOf(path));
    this.#parts.set(path, part);
    return part;
  }

  #replacePart(path: string, value: unknown, show: Show): number {
    const before = this.#lengthOf(path);
    const part = this.#partAt(path);
    const fresh = part.replace(value);
    const shownType = SHOWN_TYPES.get(typeIn(path));
    if (fresh !== "" && shownType !== undefined) show(shownType, fresh);
    return part.length - before;
  }
}

function typeIn(path: string): string {
  return path.split(SEPARATOR)[0] as string;
}

function indexIn(path: string): number {
  return Number(path.split(SEPARATOR)[1]) || 0;
}

/** A part of which only the text is known. */
function defaultsOf(path: string): JsonObject {
  const type = typeIn(path);
  if (type === "refusal") return { type, refusal: "" };
  return { type, text: "", ...(type === "output_text" && { annotations: [] }) };
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
