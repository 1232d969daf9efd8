import { isObject, type JsonObject, presentString } from "../../json/object.ts";
import type { HistoryDialect, HistoryMender, HistoryWriter, RequestDialect } from "../dialect.ts";
import { idOf, objectOr } from "../fields.ts";
import { isOtherEntry } from "./entries.ts";
import { withList } from "../with-list.ts";

/** Histories of OpenAI Chat Completions. */
export const chatHistory: HistoryDialect = {
  name: "chat",

  isItemized: false,

  readReferences(message) {
    if (message["role"] === "tool") {
      const id = idOf(message["tool_call_id"]);
      return [{ type: "result", id, name: undefined, holder: message, field: "tool_call_id" }];
    }
    return entriesOf(message)
      .filter(isCall)
      .map((call) => {
        const name = presentString(objectOr(call[bodyField(call)])["name"]);
        return { type: "call", id: idOf(call["id"]), name, holder: call, field: "id" };
      });
  },

  readOthers: (message) =>
    entriesOf(message).flatMap((entry) =>
      isObject(entry) && !isCall(entry) ? [idOf(entry["id"])] : [],
    ),
};

export const chatRequests: RequestDialect = {
  historyFields: ["messages"],

  asksModel: ({ messages }) => Array.isArray(messages),

  isContinued: () => false,

  holdsAnswer: () => false,
};

export const writeChat: HistoryWriter = (message, parts) => {
  if (message["role"] === "tool") return objectOr(parts[0]);
  let count = 0;
  /** By the ids before: those now. */
  const ids = new Map<string, string[]>();
  const calls = entriesOf(message).map((entry) => {
    if (!isCall(entry)) return entry;
    const call = objectOr(parts[count]);
    count += 1;
    const old = idOf(entry["id"]);
    const fresh = ids.get(old);
    if (fresh === undefined) ids.set(old, [idOf(call["id"])]);
    else fresh.push(idOf(call["id"]));
    return call;
  });
  const written = withList(message, "tool_calls", calls);
  // OpenRouter signs a call under its id; of calls that share one, the n-th place is the n-th's.
  const { reasoning_details: details } = message;
  if (!Array.isArray(details)) return written;
  const signed = details.map((detail) => withFreshId(detail, ids));
  return withList(written, "reasoning_details", signed);
};

/** The detail with the id that is next for its own; the last one stays, a place may come again. */
function withFreshId(detail: unknown, ids: ReadonlyMap<unknown, string[]>): unknown {
  const fresh = isObject(detail) ? (ids.get(detail["id"]) ?? []) : [];
  const id = fresh.length > 1 ? fresh.shift() : fresh[0];
  const { id: old } = objectOr(detail);
  return !id || !old || id === old ? detail : { ...objectOr(detail), id };
}

export const chatMender: HistoryMender = {
  mendCall(call, mend) {
    const field = bodyField(call);
    const body = objectOr(call[field]);
    const mended = mend(body, field === "function" ? "arguments" : undefined);
    return mended === body ? call : { ...call, [field]: mended };
  },

  fillIn: (call, id, text) => ({
    role: "tool",
    tool_call_id: id,
    name: objectOr(call[bodyField(call)])["name"],
    content: text,
  }),
};

function entriesOf(message: JsonObject): readonly unknown[] {
  const { tool_calls: calls } = message;
  return Array.isArray(calls) ? calls : [];
}

function isCall(entry: unknown): entry is JsonObject {
  return isObject(entry) && !isOtherEntry(entry);
}

function bodyField({ type, custom, function: body }: JsonObject): "custom" | "function" {
  return type === "custom" || (isObject(custom) && !isObject(body)) ? "custom" : "function";
}
