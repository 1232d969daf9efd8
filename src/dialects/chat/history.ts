import { isObject, type JsonObject, presentString } from "../../json/object.ts";
import type { HistoryDialect } from "../dialect.ts";
import { idOf, objectOr } from "../fields.ts";

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
    const calls: JsonObject[] = [];
    for (const call of callsOf(message)) calls.push({ ...call, id: ids[calls.length] });
    return { ...message, tool_calls: calls };
  },
};

function callsOf(message: JsonObject): JsonObject[] {
  const { tool_calls: calls } = message;
  return Array.isArray(calls) ? calls.filter(isObject) : [];
}
