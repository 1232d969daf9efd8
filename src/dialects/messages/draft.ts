import { isObject, type JsonObject } from "../../json/object.ts";
import { jsonText, readJson } from "../../json/json-value.ts";
import { TextBuffer } from "../../json/text-buffer.ts";
import type { MessagesBlock, ToolCall } from "../../types.ts";
import type { MessageDraft } from "../dialect.ts";
import { argumentsOf, argumentText, nameOf } from "../fields.ts";
import { FreshIds } from "../fresh-ids.ts";
import { type PartDraft, PartsDraft } from "../parts.ts";
import { INPUT_FIELD } from "./reader.ts";

/** Strings that go on with each piece: two equal pieces are not one, sent again. */
const TEXT_FIELD = /^(?:partial_json|text|thinking|content|summary|refusal|transcript|data)$/;

/** Strings that come whole. */
const LABEL_FIELD = /^(?:role|type|id|index|format|name|mime_type|url)$/;

/** Beyond this depth, the last value counts: a server must not exhaust the stack. */
const MAX_DEPTH = 64;

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
  /** The fields in its start. */
  #start: JsonObject = {};
  /** By field: what deltas have brought. Pieces of a text are one. */
  #pieces = new Map<string, unknown[]>();

  replace(fields: JsonObject): number {
    this.#start = fields;
    return jsonText(fields).length;
  }

  add(path: string, value: unknown): number {
    // A delta brings one element of the list.
    const isCitation = path === "citation";
    const field = isCitation ? "citations" : path;
    const pieces = this.#pieces.get(field) ?? [];
    this.#pieces.set(field, pieces);
    if (typeof value === "string" && TEXT_FIELD.test(field)) {
      const last = pieces.at(-1);
      const text = last instanceof TextBuffer ? last : new TextBuffer();
      text.append(value);
      if (text === last) return value.length;
      pieces.push(text);
    } else pieces.push(isCitation ? [value] : value);
    return path.length + jsonText(value).length;
  }

  write(): MessagesBlock {
    const start = this.#start;
    const changes = [...this.#pieces].map(([field, pieces]) => {
      const texts = pieces.map((piece) => (piece instanceof TextBuffer ? `${piece}` : piece));
      const value = joined(field, [start[field], ...texts]);
      if (field !== INPUT_FIELD) return [field, value];
      // A server tool may go on in the next turn: it must not run without the input that came.
      return ["input", readJson(argumentText(value)) ?? start["input"]];
    });
    // The reader opens no block without a type. Not `Object.assign`: a field may be named `__proto__`.
    return { ...start, ...Object.fromEntries(changes) } as MessagesBlock;
  }
}

/** The value that a server without streaming would have sent, of its pieces. */
function joined(field: string, pieces: readonly unknown[], depth = 0): unknown {
  const present = pieces.filter((piece) => !isEmpty(piece));
  const last = present.at(-1) ?? pieces.at(-1);
  if (present.length < 2 || depth > MAX_DEPTH) return last;
  if (present.some(Array.isArray)) return present.flat();
  if (present.every(isObject)) {
    const fields = new Map<string, unknown[]>();
    for (const [key, value] of present.flatMap(Object.entries)) {
      const values = fields.get(key) ?? [];
      fields.set(key, values);
      values.push(value);
    }
    return Object.fromEntries(
      [...fields].map(([key, values]) => [key, joined(key, values, depth + 1)]),
    );
  }
  const isText = present.every((piece) => typeof piece === "string") && !LABEL_FIELD.test(field);
  // All pieces alike: one string, sent again and again.
  return isText && (TEXT_FIELD.test(field) || new Set(present).size > 1) ? present.join("") : last;
}

/** Such a piece says nothing, and erases nothing. */
function isEmpty(piece: unknown): boolean {
  const content = piece ?? "";
  return typeof content === "object" ? Object.keys(content).length === 0 : content === "";
}

/** Servers reject a history with input that is no JSON. */
function writeCall(call: ToolCall): MessagesBlock {
  const input = readJson(argumentsOf(call)) ?? {};
  return { type: "tool_use", id: call.id, name: nameOf(call), input, ...call.extra };
}
