import { isObject, type JsonObject, presentString } from "../../json/object.ts";
import type { HistoryDialect, HistoryMender, HistoryWriter, RequestDialect } from "../dialect.ts";
import { idOf, objectOr } from "../fields.ts";
import { CALL_TYPES, CUSTOM_CALL, RESULT_SUFFIX, RESULT_TYPES } from "./items.ts";

/** Histories of OpenAI Responses. */
export const responsesHistory: HistoryDialect = {
  name: "responses",

  isItemized: true,

  readReferences(item) {
    const { type, call_id: callId, name } = item;
    const place = { id: idOf(callId), holder: item, field: "call_id" };
    if (CALL_TYPES.has(type)) return [{ type: "call", name: presentString(name), ...place }];
    return RESULT_TYPES.has(type) ? [{ type: "result", name: undefined, ...place }] : [];
  },

  // The server holds the item that is referred to; `type` may be left out there.
  readOthers({ type, role, id, call_id: callId }) {
    if (CALL_TYPES.has(type) || RESULT_TYPES.has(type)) return [];
    if (typeof callId === "string") return [callId];
    const kind = type ?? role ?? "item_reference";
    return kind === "item_reference" && id !== undefined ? [undefined] : [];
  },
};

export const responsesRequests: RequestDialect = {
  // The items that are added to a conversation stand in `items`.
  historyFields: ["input", "items"],

  // The input of embeddings is text as well, or a list of texts. Without tools there are no calls.
  asksModel: (request) =>
    isContinued(request) ||
    isObject(request["prompt"]) ||
    (Array.isArray(request["input"])
      ? request["input"].length === 0 || request["input"].some(isItem)
      : presentString(request["input"]) !== undefined && Array.isArray(request["tools"])),

  isContinued,

  // What is not said to be otherwise is stored.
  holdsAnswer: (request) => responsesRequests.asksModel(request) && request["store"] !== false,

  // Also the ids in outputs of a computer, a shell and so on.
  readIds(item) {
    const id = presentString(item["call_id"]);
    if (id === undefined) return [];
    const isResult = presentString(item["type"])?.endsWith(RESULT_SUFFIX);
    return [{ type: isResult ? "result" : "call", id, holder: item, field: "call_id" }];
  },
};

function isContinued({ previous_response_id: previous, conversation }: JsonObject): boolean {
  return (
    presentString(previous) !== undefined ||
    presentString(conversation) !== undefined ||
    isObject(conversation)
  );
}

function isItem(value: unknown): boolean {
  return isObject(value) && ("type" in value || "role" in value);
}

export const writeResponses: HistoryWriter = (_item, [part]) => objectOr(part);

export const responsesMender: HistoryMender = {
  // Custom input is free text.
  mendCall: (call, mend) => mend(call, isCustom(call) ? undefined : "arguments"),

  mendResult(result, call) {
    const type = resultTypeOf(call);
    return result["type"] === type ? result : { ...result, type };
  },

  fillIn: (call, id, text) => ({ type: resultTypeOf(call), call_id: id, output: text }),
};

function isCustom({ type }: JsonObject): boolean {
  return type === CUSTOM_CALL;
}

function resultTypeOf(call: JsonObject): string {
  return `${isCustom(call) ? CUSTOM_CALL : "function_call"}${RESULT_SUFFIX}`;
}
