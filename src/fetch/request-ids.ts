import { encoder, decoder } from "../events/bytes.ts";
import type { PlacedId } from "../dialects/dialect.ts";
import { historyIn, isServerHeld, readIds } from "../dialects/histories.ts";
import { kimiK2Id, newIds } from "../history/tool-call-ids.ts";
import { pair } from "../history/pairing.ts";
import { readJson } from "../json/json-value.ts";
import { isObject, type JsonObject } from "../json/object.ts";
import type { HeldIds } from "./held-ids.ts";
import { type FieldEdit, findSplices, spliced } from "../wire/id-splices.ts";

/** The body of a request to a model. */
export interface RequestBody {
  readonly text: string;
  /** Whether it holds a conversation, so that the answer may hold calls. */
  readonly hasHistory: boolean;
}

/**
 * The body with the ids that the server expects, and no other change.
 *
 * @param heldIds for results whose calls are in a history that the server holds
 * @param isKimiK2 whether the model was trained on numbered ids
 */
export function rewriteRequest(text: string, heldIds: HeldIds, isKimiK2: boolean): RequestBody {
  const request = readJson(text);
  if (!isObject(request)) return { text, hasHistory: false };
  const history = historyIn(request);
  const hasHistory = history !== undefined;
  if (!Array.isArray(history)) return { text, hasHistory };

  let ids: PlacedId[] = [];
  if (isServerHeld(request)) ids = history.flatMap((message) => serverIds(message, heldIds));
  else if (isKimiK2) ids = newIds(pair(history), kimiK2Id).flat();
  const edits = new Map<JsonObject, FieldEdit[]>();
  for (const { holder, field, id } of ids) {
    // A result without a call keeps its id, even a missing one.
    if (id === "" || holder[field] === id) continue;
    edits.set(holder, [{ field, value: id, isRequired: true }]);
  }
  if (edits.size === 0) return { text, hasHistory };
  const bytes = encoder.encode(text);
  const changed = spliced(bytes, findSplices(bytes, 0, request, edits));
  return { text: decoder.decode(changed), hasHistory };
}

/** The server's own ids of the calls that this message answers. */
function serverIds(message: unknown, heldIds: HeldIds): PlacedId[] {
  return readIds(message).flatMap(({ id, holder, field }) => {
    const serverId = heldIds.get(id);
    return serverId === undefined ? [] : [{ id: serverId, holder, field }];
  });
}
