import { isObject, type JsonObject, presentString } from "../../json/object.ts";
import type {
  HistoryDialect,
  HistoryMender,
  HistoryWriter,
  Reference,
  RequestDialect,
} from "../dialect.ts";
import { idOf, objectOr } from "../fields.ts";
import { withList } from "../with-list.ts";

/** Histories of Anthropic Messages. */
export const messagesHistory: HistoryDialect = {
  name: "messages",

  isItemized: false,

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
};

export const messagesRequests: RequestDialect = {
  historyFields: ["messages"],

  asksModel: ({ messages }) => Array.isArray(messages),

  // The first request of a thread brings all of the history.
  isContinued: ({ thread }) => isObject(thread) && thread["type"] !== "create",

  holdsAnswer: ({ thread }) => isObject(thread),
};

export const writeMessages: HistoryWriter = (message, parts) => {
  let count = 0;
  const content = contentOf(message).flatMap((block) => {
    if (idFieldOf(block) === undefined) return [block];
    const part = parts[count];
    count += 1;
    return part ?? [];
  });
  return withList(message, "content", content);
};

export const messagesMender: HistoryMender = {
  mendCall: (call, mend) => mend(call, "input"),

  fillIn: (_call, id, text) => ({
    type: "tool_result",
    tool_use_id: id,
    content: text,
    is_error: true,
  }),

  // Anthropic rejects a result behind another block, and one that is not in the next message.
  messagesOfResults: {
    isLeading: ({ role, content }, index, result) =>
      role === "user" && contentOf({ content })[index] === result,

    join(results, message, content) {
      const { content: old } = message;
      const canJoin = message["role"] === "user" && (typeof old === "string" || Array.isArray(old));
      if (!canJoin) return undefined;
      const text = presentString(content);
      const blocks = text === undefined ? contentOf({ content }) : [{ type: "text", text }];
      return withList(message, "content", [...results, ...blocks]);
    },

    wrap: (results) => ({ role: "user", content: results }),
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
