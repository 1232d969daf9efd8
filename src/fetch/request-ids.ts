import { type PlacedId, readReferences } from "../dialects/history-dialect.ts";
import { kimiK2Id, newIds } from "../history/history.ts";
import { readJson } from "../json/json-value.ts";
import { isObject, presentString } from "../dialects/provider-error.ts";
import type { JsonObject } from "../types.ts";
import type { HeldIds } from "./held-ids.ts";
import { type FieldEdit, findSplices, spliced } from "../wire/id-splices.ts";

/** The body of a request to a model. */
export interface RequestBody {
  readonly text: string;
  /** Whether it holds a conversation, so that the answer may hold calls. */
  readonly hasHistory: boolean;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * The body with the ids that the server expects, and no other change.
 *
 * @param heldIds for results that answer calls in a history which the server holds
 * @param isKimiK2 whether the model was trained on numbered ids
 */
export function rewriteRequest(text: string, heldIds: HeldIds, isKimiK2: boolean): RequestBody {
  const request = readJson(text);
  if (!isObject(request)) return { text, hasHistory: false };
  const { messages, input } = request;
  const history = [messages, input].find((list) => Array.isArray(list)) as unknown[] | undefined;
  const hasHistory = history !== undefined || typeof input === "string";
  if (history === undefined) return { text, hasHistory };

  let ids: PlacedId[] = [];
  if (isServerHeld(request)) ids = history.flatMap((message) => providerIds(message, heldIds));
  else if (isKimiK2) ids = newIds(history, kimiK2Id).flat();
  const edits = new Map<JsonObject, FieldEdit[]>();
  for (const { holder, field, id } of ids) {
    // A result without a call keeps what it has, which may be no id.
    if (id === "" || holder[field] === id) continue;
    edits.set(holder, [{ field, value: id, isRequired: true }]);
  }
  if (edits.size === 0) return { text, hasHistory };
  const bytes = encoder.encode(text);
  const changed = spliced(bytes, findSplices(bytes, 0, request, edits));
  return { text: decoder.decode(changed), hasHistory };
}

/** Whether the request continues a conversation of which the server has the rest. */
function isServerHeld({
  previous_response_id: previous,
  conversation,
  thread,
}: JsonObject): boolean {
  if (presentString(previous) !== undefined || presentString(conversation) !== undefined)
    return true;
  // The first request of a thread brings all of the history.
  return isObject(conversation) || (isObject(thread) && thread["type"] !== "create");
}

/** The ids that the server knows what the message refers to by. */
function providerIds(message: unknown, heldIds: HeldIds): PlacedId[] {
  const { references } = readReferences(message);
  const places: Omit<PlacedId, "id">[] = [...references];
  // The outputs of a computer, a shell and so on, which only Responses has.
  if (references.length === 0 && isObject(message)) {
    places.push({ holder: message, field: "call_id" });
  }
  return places.flatMap(({ holder, field }) => {
    const id = heldIds.get(presentString(holder[field]) ?? "");
    return id === undefined ? [] : [{ holder, field, id }];
  });
}
