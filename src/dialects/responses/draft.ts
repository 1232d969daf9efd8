import { type JsonObject, presentString } from "../../json/object.ts";
import { jsonText } from "../../json/json-value.ts";
import type { ResponsesItem, ToolCall } from "../../types.ts";
import type { MessageDraft, Show } from "../dialect.ts";
import { argumentsOf, nameOf, objectOr } from "../fields.ts";
import { FreshIds } from "../fresh-ids.ts";
import { type PartDraft, PartsDraft } from "../parts.ts";
import { CUSTOM_CALL, partTypeIn, SEPARATOR, SHOWN_TYPES, SUMMARY, textOf } from "./items.ts";
import { PartText } from "./part-text.ts";

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

/** A part of an item: all but its text, and its text. */
interface ItemPart {
  value: unknown;
  readonly text: PartText;
}

/** An item that is no call: its end, else its start, with all texts that have come. */
class ItemDraft implements PartDraft<ResponsesItem> {
  /** Without its parts. */
  #content: JsonObject = {};
  #contentLength = 0;
  #isEnded = false;
  /** By path. */
  #parts = new Map<string, ItemPart>();
  /** While a list is taken: what of its text has been shown, in parts that are counted otherwise. */
  #past = "";

  replace(content: JsonObject, isEnd: boolean, show: Show): number {
    let growth = 0;
    const rest: Record<string, unknown> = { ...content };
    for (const list of LISTS) {
      const values = content[list];
      if (!Array.isArray(values)) continue;
      rest[list] = [];
      growth += this.#replaceList(list, values, content["type"], show);
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
    const known = this.#parts.get(path);
    const part = known ?? this.#open(path);
    if (typeof value !== "string") {
      const growth = known === undefined ? lengthOf(part) : 0;
      return growth + this.#replacePart(path, { ...defaultsOf(path), ...objectOr(value) }, show);
    }
    if (!part.text.append(value)) return undefined;
    return known === undefined ? lengthOf(part) : value.length;
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
      const parts = this.#partsOf(list).map(([, { value, text }]) =>
        text.length === 0 ? value : withText(value, text.toString()),
      );
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
  #partsOf(list: string): [path: string, part: ItemPart][] {
    return [...this.#parts]
      .filter(([path]) => (typeIn(path) === SUMMARY) === (list === "summary"))
      .sort(([a], [b]) => indexIn(a) - indexIn(b));
  }

  #open(path: string): ItemPart {
    const part = { value: defaultsOf(path), text: new PartText() };
    this.#parts.set(path, part);
    return part;
  }

  /**
   * Takes all parts of a list. Some servers count them otherwise than in the events before, and some
   * end an item without the text that they have sent.
   */
  #replaceList(list: string, values: readonly unknown[], type: unknown, show: Show): number {
    if (values.length === 0) return 0;
    const wholes = new Map(
      values.map((value, index) => {
        const partType = list === "summary" ? SUMMARY : objectOr(value)["type"];
        return [`${partTypeIn(type, partType)}${SEPARATOR}${index}`, value];
      }),
    );
    let growth = 0;
    const known = this.#partsOf(list);
    if (!known.every(([path, { text }]) => text.fits(textIn(wholes.get(path))))) {
      for (const [path, part] of known) {
        growth -= lengthOf(part);
        this.#past += part.text.toString();
        this.#parts.delete(path);
      }
    }
    for (const [path, value] of wholes) growth += this.#replacePart(path, value, show);
    this.#past = "";
    return growth;
  }

  #replacePart(path: string, value: unknown, show: Show): number {
    const known = this.#parts.get(path);
    const before = known === undefined ? 0 : lengthOf(known);
    const part = known ?? this.#open(path);
    const text = textOf(objectOr(value)) ?? "";
    part.value = text === "" ? value : withText(value, "");
    let fresh = part.text.replace(text);
    const past = this.#past;
    if (past.startsWith(fresh)) {
      this.#past = past.slice(fresh.length);
      fresh = "";
    } else if (past !== "") {
      fresh = fresh.startsWith(past) ? fresh.slice(past.length) : "";
      this.#past = "";
    }
    const shownType = SHOWN_TYPES.get(typeIn(path));
    if (fresh !== "" && shownType !== undefined) show(shownType, fresh);
    return lengthOf(part) - before;
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

/** @returns `undefined` for no part at all */
function textIn(value: unknown): string | undefined {
  return value === undefined ? undefined : (textOf(objectOr(value)) ?? "");
}

function withText(value: unknown, text: string): JsonObject {
  const part = objectOr(value);
  return { ...part, ["refusal" in part ? "refusal" : "text"]: text };
}

function lengthOf({ value, text }: ItemPart): number {
  return jsonText(value).length + text.length;
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
