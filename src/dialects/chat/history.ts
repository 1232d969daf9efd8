import { isObject, type JsonObject, presentString } from "../../json/object.ts";
import type { HistoryDialect } from "../dialect.ts";
import { idOf, objectOr } from "../fields.ts";
import { isOtherEntry } from "./entries.ts";

/** Histories of OpenAI Chat Completions. */
export const chatHistory: HistoryDialect = {
  isItemized: false,

  historyField: "messages",

  isServerHeld: () => false,

  endsTurn: () => true,

  readReferences(message) {
    if (message["role"] === "tool") {
      const id = idOf(message["tool_call_id"]);
      return [{ type: "result", id, name: undefined, holder: message, field: "tool_call_id" }];
    }
    return callsOf(message).map((call) => {
      const body = isObject(call["custom"]) ? call["custom"] : objectOr(call["function"]);
      const name = presentString(body["name"]);
      return { type: "call", id: idOf(call["id"]), name, holder: call, field: "id" };
    });
  },

  writeIds(message, ids) {
    if (message["role"] === "tool") return { ...message, tool_call_id: ids[0] };
    const rest = ids.values();
    const entries: JsonObject[] = [];
    for (const entry of entriesOf(message)) {
      entries.push(isOtherEntry(entry) ? entry : { ...entry, id: rest.next().value });
    }
    return { ...message, tool_calls: entries };
  },
};

function callsOf(message: JsonObject): JsonObject[] {
  return entriesOf(message).filter((entry) => !isOtherEntry(entry));
}

function entriesOf(message: JsonObject): JsonObject[] {
  const { tool_calls: entries } = message;
  return Array.isArray(entries) ? entries.filter(isObject) : [];
}
