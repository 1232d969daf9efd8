import { isObject, presentString } from "../../json/object.ts";
import type { HistoryDialect } from "../dialect.ts";
import { idOf } from "../fields.ts";
import { CALL_TYPES, RESULT_SUFFIX, RESULT_TYPES } from "./items.ts";

/** Histories of OpenAI Responses. */
export const responsesHistory: HistoryDialect = {
  isItemized: true,

  historyField: "input",

  isServerHeld: ({ previous_response_id: previous, conversation }) =>
    presentString(previous) !== undefined ||
    presentString(conversation) !== undefined ||
    isObject(conversation),

  endsTurn: ({ type, role }) =>
    role === undefined ? `${type}`.endsWith(RESULT_SUFFIX) : role !== "assistant",

  readReferences(item) {
    const { type, call_id: callId, name } = item;
    const place = { id: idOf(callId), holder: item, field: "call_id" };
    if (CALL_TYPES.has(type)) return [{ type: "call", name: presentString(name), ...place }];
    return RESULT_TYPES.has(type) ? [{ type: "result", name: undefined, ...place }] : [];
  },

  // Also the ids in outputs of a computer, a shell and so on.
  readIds(item) {
    const id = presentString(item["call_id"]);
    return id === undefined ? [] : [{ id, holder: item, field: "call_id" }];
  },

  writeIds: (item, ids) => ({ ...item, call_id: ids[0] }),
};
