import type { JsonObject } from "../../json/object.ts";
import { jsonText, readJson } from "../../json/json-value.ts";
import { TextBuffer } from "../../json/text-buffer.ts";
import type { MessagesBlock, ToolCall } from "../../types.ts";
import type { MessageDraft } from "../dialect.ts";
import { argumentsOf, argumentText, nameOf } from "../fields.ts";
import { type PartDraft, PartsDraft } from "../parts.ts";
import { INPUT_FIELD } from "./reader.ts";

const CITATION_FIELD = "citation";

/** An empty message. */
export function draftMessagesMessage(): MessageDraft {
  const parts = new PartsDraft(BlockDraft, writeCall);
  return {
    add: (delta) => parts.add(delta),
    write: (calls) => ({ role: "assistant", content: parts.write(calls) }),
  };
}

class BlockDraft implements PartDraft<MessagesBlock> {
  /** The fields in its start. */
  #fields: JsonObject = {};
  /** By field: the text, the list of citations, or the value that deltas have brought. */
  #changes = new Map<string, unknown>();

  replace(fields: JsonObject): number {
    this.#fields = fields;
    return jsonText(fields).length;
  }

  add(field: string, value: unknown): number {
    const change = this.#changes.get(field);
    if (typeof value === "string" && change instanceof TextBuffer) {
      change.append(value);
      return value.length;
    }
    if (field === CITATION_FIELD && Array.isArray(change)) change.push(value);
    else this.#changes.set(field, this.#firstChange(field, value));
    return field.length + jsonText(value).length;
  }

  #firstChange(field: string, value: unknown): unknown {
    if (field === CITATION_FIELD) return [value];
    if (typeof value !== "string") return value;
    const text = new TextBuffer();
    const start = this.#fields[field];
    if (typeof start === "string") text.append(start);
    text.append(value);
    return text;
  }

  write(): MessagesBlock {
    const start = this.#fields;
    const changes = [...this.#changes].map(([field, change]) => {
      const value = change instanceof TextBuffer ? change.toString() : change;
      if (field === CITATION_FIELD) return ["citations", [start["citations"] ?? [], value].flat()];
      // A server tool may go on in the next turn: it must not run without the input that came.
      if (field === INPUT_FIELD) return ["input", readJson(argumentText(value)) ?? start["input"]];
      return [field, value];
    });
    // The reader opens no block without a type. Not `Object.assign`: a field may be named `__proto__`.
    return { ...start, ...Object.fromEntries(changes) } as MessagesBlock;
  }
}

/** Servers reject a history with input that is no JSON. */
function writeCall(call: ToolCall): MessagesBlock {
  const input = readJson(argumentsOf(call)) ?? {};
  return { type: "tool_use", id: call.id, name: nameOf(call), input, ...call.extra };
}
