import { encoder, decoder } from "../events/bytes.ts";
import type { PlacedId } from "../dialects/dialect.ts";
import { asksModel, historyIn, holdsAnswer, isContinued, readIds } from "../dialects/histories.ts";
import { kimiK2Id, newIds } from "../history/tool-call-ids.ts";
import { pair } from "../history/pairing.ts";
import { readJson } from "../json/json-value.ts";
import { isObject, type JsonObject } from "../json/object.ts";
import type { HeldIds } from "./held-ids.ts";
import { type FieldEdit, findSplices, spliced } from "../wire/id-splices.ts";

/** The body of a request to a model, and what it says for the ids in its answer. */
export interface RequestBody {
  /** With the ids that the server expects, and no other change. */
  readonly text: string;
  /** Whether the answer may hold calls. */
  readonly asksModel: boolean;
  /** Whether the answer is to be an event stream. */
  readonly isStreamed: boolean;
  /** Whether the server holds the answer, so that later requests may bring its results alone. */
  readonly holdsAnswer: boolean;
  /** The ids in the history, as the client knows them. */
  readonly usedIds: ReadonlySet<string>;
}

/**
 * @param heldIds for results whose calls are in a history that the server holds
 * @param isKimiK2 whether the model was trained on numbered ids
 */
export function readRequest(text: string, heldIds: HeldIds, isKimiK2: boolean): RequestBody {
  const value = readJson(text);
  const request = isObject(value) ? value : {};
  const history = historyIn(request);
  const references = history.flatMap(readIds);
  const callIds = new Set(references.flatMap(({ type, id }) => (type === "call" ? [id] : [])));

  const ids: PlacedId[] = references.flatMap(({ type, id, holder, field }) => {
    const serverId = type === "result" && !callIds.has(id) ? heldIds.get(id) : undefined;
    return serverId === undefined ? [] : [{ id: serverId, holder, field }];
  });
  // The rest of a conversation is not numbered anew: no one knows where it goes on.
  if (isKimiK2 && !isContinued(request)) ids.push(...newIds(pair(history), kimiK2Id).flat());
  return {
    text: withIds(text, request, ids),
    asksModel: asksModel(request),
    isStreamed: request["stream"] === true,
    holdsAnswer: holdsAnswer(request),
    usedIds: new Set(references.map(({ id }) => id)),
  };
}

function withIds(text: string, request: JsonObject, ids: readonly PlacedId[]): string {
  const edits = new Map<JsonObject, FieldEdit[]>();
  for (const { holder, field, id } of ids) {
    // A result without a call keeps its id, even a missing one.
    if (id === "" || holder[field] === id) continue;
    edits.set(holder, [{ field, value: id, isRequired: true }]);
  }
  if (edits.size === 0) return text;
  const bytes = encoder.encode(text);
  return decoder.decode(spliced(bytes, findSplices(bytes, 0, request, edits)));
}
