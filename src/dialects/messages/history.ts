import { isObject, type JsonObject, presentString } from "../../json/object.ts";
import type { HistoryDialect, Reference } from "../dialect.ts";
import { idOf, objectOr } from "../fields.ts";

/** Histories of Anthropic Messages. */
export const messagesHistory: HistoryDialect = {
  isItemized: false,

  historyField: "messages",

  // The first request of a thread brings all of the history.
  isServerHeld: ({ thread }) => isObject(thread) && thread["type"] !== "create",

  endsTurn: () => true,

  readReferences: (message) =>
    contentOf(message).flatMap((block): Reference[] => {
      const field = idFieldOf(block);
      if (field === undefined) return [];
      const holder = objectOr(block);
      const id = idOf(holder[field]);
      return field === "id"
        ? [{ type: "call", id, name: presentString(holder["name"]), holder, field }]
        : [{ type: "result", id, name: undefined, holder, field }];
    }),

  writeIds(message, ids) {
    const content: unknown[] = [];
    let count = 0;
    for (const block of contentOf(message)) {
      const field = idFieldOf(block);
      content.push(field === undefined ? block : { ...objectOr(block), [field]: ids[count] });
      if (field !== undefined) count += 1;
    }
    return { ...message, content };
  },
};

/** The field with the id of a call or result; the ids of server tools stay as they are. */
function idFieldOf(block: unknown): "id" | "tool_use_id" | undefined {
  if (!isObject(block)) return undefined;
  if (block["type"] === "tool_use") return "id";
  return block["type"] === "tool_result" ? "tool_use_id" : undefined;
}

/** The blocks of a message; none where its content is a mere text. */
export function contentOf({ content }: JsonObject): readonly unknown[] {
  return Array.isArray(content) ? content : [];
}
