import type { JsonObject } from "../../json/object.ts";
import { jsonText, readJson } from "../../json/json-value.ts";
import { TextBuffer } from "../../json/text-buffer.ts";
import type { MessagesBlock, ToolCall } from "../../types.ts";
import type { MessageDraft } from "../dialect.ts";
import { argumentsOf, argumentText, nameOf } from "../fields.ts";
import { FreshIds } from "../fresh-ids.ts";
import { JoinedFields, saidBy } from "../joined-fields.ts";
import { type PartDraft, PartsDraft } from "../parts.ts";
import { INPUT_FIELD } from "./reader.ts";

/** Calls, and tools that the server runs: the result of one is found by the id of its own. */
const TOOL_USE = /tool_use$/;

/** An empty message. */
export function draftMessagesMessage(): MessageDraft {
  const parts = new PartsDraft(BlockDraft, writeCall);
  return {
    add: (delta) => parts.add(delta),
    write(calls) {
      const ids = new FreshIds(calls);
      const content = parts.write(calls).filter((block) => !isBlank(block));
      return { role: "assistant", content: content.map((block) => renamed(block, ids)) };
    },
  };
}

/** Anthropic sends text blocks without text, and answers 400 to a history with one. */
function isBlank({ type, text }: MessagesBlock): boolean {
  const content = text ?? "";
  return type === "text" && typeof content === "string" && content.trim() === "";
}

function renamed(block: MessagesBlock, ids: FreshIds): MessagesBlock {
  const { id, input, ...rest } = block;
  // The input is what the model wrote.
  return TOOL_USE.test(block.type) ? { ...ids.in(rest), id, input } : ids.in(block);
}

class BlockDraft implements PartDraft<MessagesBlock> {
  /** The fields in its start, and those that deltas have brought in one piece: as they came. */
  #fields = new Map<string, unknown>();
  /** The fields of which more pieces have come. */
  #changes = new JoinedFields();
  #input = new TextBuffer();
  #citations: unknown[] = [];

  replace(fields: JsonObject): number {
    this.#fields = new Map(Object.entries(fields));
    return jsonText(fields).length;
  }

  add(field: string, value: unknown): number {
    if (field === INPUT_FIELD) {
      const text = argumentText(value);
      this.#input.append(text);
      return text.length;
    }
    if (field === "citation") {
      this.#citations.push(value);
      return jsonText(value).length;
    }
    const before = this.#fields.get(field);
    if (saidBy(before) === undefined) {
      this.#fields.set(field, value);
      return field.length + jsonText(value).length;
    }
    if (!this.#changes.has(field)) this.#changes.add(field, before);
    return this.#changes.add(field, value);
  }

  write(): MessagesBlock {
    const fields = Object.fromEntries(this.#fields);
    const { input, citations } = fields;
    // The reader opens no block without a type. Not `Object.assign`: a field may be named `__proto__`.
    return {
      ...fields,
      ...this.#changes.write(),
      // A server tool may go on in the next turn: it must not run without the input that came.
      ...(this.#input.length > 0 && { input: readJson(`${this.#input}`) ?? input }),
      ...(this.#citations.length > 0 && {
        citations: [...(Array.isArray(citations) ? citations : []), ...this.#citations],
      }),
    } as MessagesBlock;
  }
}

/** Servers reject a history with input that is no JSON. */
function writeCall(call: ToolCall): MessagesBlock {
  const input = readJson(argumentsOf(call)) ?? {};
  return { type: "tool_use", id: call.id, name: nameOf(call), input, ...call.extra };
}
