import { isObject, type JsonObject, presentString } from "../../json/object.ts";
import type { Delta, IdPlace } from "../delta.ts";
import type { DialectReader, ResponseDialect } from "../dialect.ts";
import {
  argumentText,
  indexKey,
  kindOf,
  nameIn,
  objectOr,
  unknownFields,
  words,
} from "../fields.ts";
import { CALL_PLACE } from "../parts.ts";
import { PLACEHOLDER } from "../placeholder.ts";
import { toProviderError } from "../provider-error.ts";
import { CALL_TYPES, CUSTOM_CALL, RESULT_SUFFIX } from "./items.ts";

/** Programs of the server. Their calls name them by their ids, so these items go back unchanged. */
const SERVER_TYPES = /^program(_output)?$/;

/** All kinds of its events begin with this. */
const PREFIX = "response.";

/** The events that hold the whole response; some gateways say `done` for `completed`. */
const TERMINAL_KINDS = /* @__PURE__ */ words("completed done incomplete failed cancelled");

/** The events that bring text, in pieces or whole, and the type of call or part it belongs to. */
const TEXT_KINDS: ReadonlyMap<string, string> = new Map([
  ["function_call_arguments.delta", "function_call"],
  ["function_call_arguments.done", "function_call"],
  ["custom_tool_call_input.delta", CUSTOM_CALL],
  ["custom_tool_call_input.done", CUSTOM_CALL],
  ["output_text.delta", "output_text"],
  ["refusal.delta", "refusal"],
  ["reasoning_text.delta", "reasoning_text"],
  ["reasoning_summary_text.delta", "summary_text"],
]);

/** How the text of a part is shown, by its type. A refusal is not shown. */
const SHOWN_TYPES: ReadonlyMap<unknown, "text" | "reasoning"> = new Map([
  ["output_text", "text"],
  ["reasoning_text", "reasoning"],
  ["summary_text", "reasoning"],
]);

/** OpenAI Responses, from OpenAI and from servers that say they are compatible. */
export const responses: ResponseDialect = {
  name: "responses",
  // Servers have sent the arguments of other tools behind the arguments of one.
  hasFurtherCalls: false,
  hasKinds: true,
  // Gateways add it to every stream, also to a cut one.
  endsWithDone: false,

  matches: (payload, name) =>
    kindOf(payload, name)?.startsWith(PREFIX) === true || isResponseObject(payload),

  openReader: () => new ResponsesReader(),

  isNormalReason: (reason) => reason === "completed",
};

function isResponseObject(payload: JsonObject): boolean {
  return payload["object"] === "response" && Array.isArray(payload["output"]);
}

const KNOWN_CALL_FIELDS = /* @__PURE__ */ words(
  "type id item_id output_index call_id name arguments input status",
);

/** How many items are remembered beside calls: a server must not fill the memory with them. */
const MAX_OTHER_ITEMS = 4096;

/** In the path of a part delta, stands between the type of a text and its index. */
export const SEPARATOR = " ";

/** An item as one event has it. */
interface ItemContent extends JsonObject {
  readonly type: string;
}

/** An output item of the response. */
interface Item {
  /** Its number, as text. Items may share an id, but never this. */
  readonly key: string;
  readonly type: string;
  readonly outputIndex: string | undefined;
  /** The first item id that came. */
  itemId?: string | undefined;
  callId?: string | undefined;
  /** Of a result: the item that it answers. */
  referent?: Item | undefined;
  name?: string | undefined;
  isDone?: boolean;
  /** Whether its text has been shown. A later copy is then not shown. */
  isShown?: boolean;
}

/**
 * Events → deltas. Decides which item an event is about: gateways leave ids and indices out, repeat
 * them, or change them with each event.
 */
class ResponsesReader implements DialectReader {
  #deltas: Delta[] = [];
  #itemCount = 0;
  #callCount = 0;
  /** The calls that are not done, newest first. */
  #open: Item[] = [];
  /** By type: the remembered items that are no calls, in order. */
  #others = new Map<string, Item[]>();
  /** By output index: the latest item that is no call; under `undefined`, the latest of all. */
  #latestOther = new Map<string | undefined, Item>();
  /** By item id; and calls by call id. */
  #byId = new Map<unknown, Item>();
  #byCallId = new Map<unknown, Item>();
  /** Calls by call id and by name, oldest first; under `undefined`, those without one. */
  #alike = { callId: new Map<unknown, Set<Item>>(), name: new Map<unknown, Set<Item>>() };
  /** By call id: the latest item with it that is neither a call of ours nor a result. */
  #referents = new Map<string, Item>();
  /** For the end of a response that failed without saying why: a later event may still say it. */
  #lastDeltas: Delta[] = [];

  read(payload: JsonObject, name: string | undefined): Delta[] {
    this.#deltas = [];
    const kind = kindOf(payload, name)?.slice(PREFIX.length) ?? "";
    const isDone = kind.endsWith(".done");
    const outputIndex = indexKey(payload["output_index"]);
    const { item } = payload;
    const type = TEXT_KINDS.get(kind) ?? "";
    const field = CALL_TYPES.get(type);
    if (isResponseObject(payload)) this.#readResponse(payload, "done");
    else if (field !== undefined) {
      const text = argumentText(payload[isDone ? field : "delta"]);
      this.#readArguments(type, text, isDone, payload, outputIndex);
    } else if (type !== "") this.#readText(type, payload, outputIndex);
    else if (TERMINAL_KINDS.has(kind)) this.#readResponse(objectOr(payload["response"]), kind);
    else if (kind !== "output_item.added" && kind !== "output_item.done") {
      this.#deltas.push({ type: "choice", choice: 0 });
    } else if (isItem(item)) {
      const known = this.#findItem(item, outputIndex, isDone);
      this.#readItem(known, item, outputIndex, isDone);
    }
    return this.#deltas;
  }

  end(): Delta[] {
    return this.#lastDeltas;
  }

  /**
   * @param known the item, if it has come before
   * @param isDone whether all of it is here
   * @param streamedId the item's id in the stream; the whole response may have another one
   */
  #readItem(
    known: Item | undefined,
    content: ItemContent,
    outputIndex: string | undefined,
    isDone: boolean,
    streamedId?: string,
  ): void {
    const item = known ?? this.#openItem(content, outputIndex);
    const field = CALL_TYPES.get(content.type);
    const places: IdPlace[] = [
      { holder: content, field: "call_id", mayInsert: field !== undefined },
    ];
    // OpenAI's SDK throws when the id of an item changes at the end.
    if (streamedId !== undefined && streamedId !== content["id"]) {
      places.push({ holder: content, field: "id", text: streamedId });
    }
    if (field === undefined) {
      this.#refer(item, content, places);
      if (isDone) this.#finishOther(item, content);
      return;
    }
    if (isCall(item)) this.#describe(item, content, field, isDone, places);
    if (!isDone || item.isDone) return;
    item.isDone = true;
    this.#open = this.#open.filter((call) => !call.isDone);
  }

  #openItem(content: ItemContent, outputIndex: string | undefined): Item {
    const key = `${this.#itemCount}`;
    const item: Item = { key, type: content.type, outputIndex };
    this.#itemCount += 1;
    this.#pushItem(isCall(item) ? CALL_PLACE : key, content);
    if (isCall(item)) {
      this.#callCount += 1;
      this.#group(item, "name");
      this.#open.unshift(item);
    } else {
      this.#latestOther.set(undefined, item);
      if (this.#isFull) return item;
      this.#latestOther.set(outputIndex, item);
      const others = this.#others.get(item.type) ?? [];
      others.push(item);
      this.#others.set(item.type, others);
    }
    // Also an item that is no call: fragments for it then go nowhere.
    this.#identify(item, content["id"]);
    return item;
  }

  /** Whether no further item beside calls is remembered. */
  get #isFull(): boolean {
    return this.#itemCount - this.#callCount > MAX_OTHER_ITEMS;
  }

  #identify(item: Item, value: unknown): void {
    const id = presentString(value);
    if (id !== undefined) this.#byId.set(id, item);
    item.itemId ??= id;
  }

  /**
   * The item that an event is about: the item with its id. Without one, a call that starts again is
   * found by its call id under the same index. A call that is done is the open call under its index,
   * or the call with its call id.
   */
  #findItem(
    content: ItemContent,
    outputIndex: string | undefined,
    isDone: boolean,
  ): Item | undefined {
    const { type, id } = content;
    const known = isDone ? this.#byItemId(content) : this.#byId.get(id);
    if (known !== undefined) return known;
    if (!isCall(content)) return isDone ? this.#openOther(type, outputIndex) : undefined;
    const name = nameIn(content);
    const callId = presentString(content["call_id"]);
    const sameId = this.#byCallId.get(callId);
    if (!isDone) {
      if (sameId?.outputIndex !== outputIndex) return undefined;
      // Without an index, servers have begun another call with the same call id.
      const isOther = outputIndex === undefined && presentString(id) !== undefined;
      return isOther && sameId?.itemId !== undefined ? undefined : sameId;
    }
    // Without any hint, the event more likely ends an open call than brings one more.
    const nearest = sameId ?? this.#open[0];
    const isIt = (call: Item): boolean =>
      (outputIndex === undefined
        ? call === nearest && (callId === undefined || call.callId === undefined)
        : call.outputIndex === outputIndex) &&
      (call.name === undefined || call.name === name);
    return this.#open.find(isIt) ?? (sameId?.isDone ? undefined : sameId);
  }

  #byItemId({ id, item_id: itemId }: JsonObject): Item | undefined {
    return this.#byId.get(id) ?? this.#byId.get(itemId);
  }

  #openOther(type: string, outputIndex: string | undefined): Item | undefined {
    const latest = this.#latestOther.get(outputIndex);
    return latest?.type === type && !latest.isDone ? latest : undefined;
  }

  /** Reads what an item says of its call. Ids and names that are known already do not change. */
  #describe(
    call: Item,
    content: ItemContent,
    field: string,
    isDone: boolean,
    places: IdPlace[],
  ): void {
    this.#identify(call, presentString(content["id"]) ?? content["item_id"]);
    const callId = this.#learn(call, "callId", presentString(content["call_id"]));
    if (callId !== undefined) this.#byCallId.set(callId, call);
    const text = argumentText(content[field]);
    // Before the end of the item, `{}` says no more than an empty text: arguments may follow.
    const isPlaceholder = !isDone && text === PLACEHOLDER;
    this.#deltas.push({
      type: "call",
      choice: 0,
      index: call.key,
      id: callId,
      name: this.#learn(call, "name", nameIn(content)),
      isCustom: call.type === CUSTOM_CALL,
      fragment: isPlaceholder ? "" : text,
      extent: "all",
      extra: unknownFields(content, KNOWN_CALL_FIELDS),
      places,
    });
  }

  /** Calls of hosted tools and of the computer have call ids too, and so have their results. */
  #refer(item: Item, content: ItemContent, places: IdPlace[]): void {
    const callId = presentString(content["call_id"]);
    const { type } = item;
    if (callId === undefined || isCall(item) || SERVER_TYPES.test(type) || this.#isFull) return;
    const isResult = type.endsWith(RESULT_SUFFIX);
    if (isResult) item.referent ??= this.#referents.get(callId) ?? this.#byCallId.get(callId);
    else this.#referents.set(callId, item);
    this.#deltas.push({ type: "reference", index: (item.referent ?? item).key, places });
  }

  /** Shows the text that no delta has brought. */
  #finishOther(item: Item, end: ItemContent): void {
    if (item.isDone || item.type !== end.type) return;
    item.isDone = true;
    const { content, summary } = end;
    const parts = item.isShown ? [] : [summary, content].filter(Array.isArray).flat();
    for (const { type, text } of parts.map(objectOr)) {
      const shown = presentString(text);
      // The index does not matter: the whole item follows and replaces its texts.
      if (shown !== undefined && SHOWN_TYPES.has(type)) this.#show(item, type, "0", shown);
    }
    this.#pushItem(item.key, end);
  }

  /**
   * Reads a piece of the arguments, or all of them; some servers add the name to all of them. The item
   * id, which may be a call id, finds the call. Else it is the newest open call under the index or,
   * without id and index, the newest open call. If none fits, a call without a name takes the fragments.
   */
  #readArguments(
    type: string,
    fragment: string,
    isAll: boolean,
    payload: JsonObject,
    outputIndex: string | undefined,
  ): void {
    if (fragment === "" && !isAll) return;
    const { item_id: id } = payload;
    const callId = presentString(payload["call_id"]);
    const item =
      this.#byId.get(id) ??
      this.#byCallId.get(callId ?? id) ??
      this.#open.find((call) =>
        outputIndex === undefined
          ? presentString(id) === undefined
          : call.outputIndex === outputIndex,
      ) ??
      this.#openItem({ type, id }, outputIndex);
    if (!isCall(item)) return;
    const places: IdPlace[] = [];
    if (callId !== undefined) places.push({ holder: payload, field: "call_id" });
    // llama.cpp has no other id for the item.
    if (id !== undefined && id === item.callId && !this.#byId.has(id)) {
      places.push({ holder: payload, field: "item_id" });
    }
    this.#deltas.push({
      type: "call",
      choice: 0,
      index: item.key,
      name: isAll ? this.#learn(item, "name", nameIn(payload)) : undefined,
      isCustom: item.type === CUSTOM_CALL,
      fragment,
      extent: isAll ? "all" : "piece",
      places,
    });
  }

  #readText(type: string, payload: JsonObject, outputIndex: string | undefined): void {
    const text = presentString(payload["delta"]);
    if (text === undefined) return;
    const id = presentString(payload["item_id"]);
    const isReasoning = SHOWN_TYPES.get(type) === "reasoning";
    const itemType = isReasoning ? "reasoning" : "message";
    const item =
      this.#byId.get(id) ??
      this.#openOther(itemType, outputIndex) ??
      // The start of the item did not come.
      this.#openItem(
        {
          type: itemType,
          id,
          ...(isReasoning ? { summary: [] } : { role: "assistant", content: [] }),
        },
        outputIndex,
      );
    if (isCall(item)) return;
    const index = payload[type === "summary_text" ? "summary_index" : "content_index"];
    this.#show(item, type, indexKey(index) ?? "0", text);
  }

  #show(item: Item, type: unknown, index: string, text: string): void {
    const shownType = SHOWN_TYPES.get(type);
    item.isShown ||= shownType !== undefined;
    const path = `${type}${SEPARATOR}${index}`;
    const place = { choice: 0, field: item.key, path };
    this.#deltas.push({ type: shownType ?? "field", ...place, value: text });
  }

  /** The response as a whole: it adds text and calls, and takes nothing back. */
  #readResponse(response: JsonObject, kind: string): void {
    const { output, usage, error } = response;
    const items = Array.isArray(output) ? output.filter(isItem) : [];
    const calls = this.#matchCalls(items.filter(isCall));
    const positions = new Map<string, number>();
    for (const item of items) {
      const { type } = item;
      // The n-th item of a type is the n-th that came, however the earlier ones were found.
      const position = positions.get(type) ?? 0;
      positions.set(type, position + 1);
      const other = this.#byItemId(item) ?? this.#others.get(type)?.[position];
      const known = isCall(item) ? calls.get(item) : other;
      this.#readItem(known, item, undefined, true, known?.itemId);
    }
    if (isObject(usage)) this.#deltas.push({ type: "usage", usage });
    const actual = presentString(response["status"]) ?? (kind === "done" ? "completed" : kind);
    const { reason } = objectOr(response["incomplete_details"]);
    const incomplete = actual === "incomplete" ? presentString(reason) : undefined;
    this.#deltas.push({ type: "finish", choice: 0, reason: incomplete ?? actual });
    if (isObject(error)) this.#deltas.push({ type: "error", error: toProviderError(error) });
    else if (actual === "failed") {
      this.#lastDeltas = [{ type: "error", error: toProviderError({}) }];
    } else this.#deltas.push({ type: "end", isCut: false });
  }

  /**
   * Finds the call of each item in the whole response. Some servers parse their own output again for it
   * and mint other ids. So an item is the call with its item id, else with its call id, else the first
   * with its name. No two items are the same call.
   */
  #matchCalls(items: readonly JsonObject[]): Map<JsonObject, Item> {
    const matches = new Map<JsonObject, Item>();
    const taken = new Set<Item>();
    const rests = new Map<Iterable<Item>, Iterator<Item, undefined>>();
    const take = (calls: Set<Item> | undefined): Item | undefined => {
      if (calls === undefined) return undefined;
      const rest = rests.get(calls) ?? calls.values();
      rests.set(calls, rest);
      let call = rest.next().value;
      while (call !== undefined && taken.has(call)) call = rest.next().value;
      return call;
    };
    const { callId: byCallId, name: byName } = this.#alike;
    const ways: readonly ((item: JsonObject) => Item | undefined)[] = [
      (item) => {
        const known = this.#byItemId(item);
        return known !== undefined && isCall(known) && !taken.has(known) ? known : undefined;
      },
      ({ call_id: callId }) => take(byCallId.get(callId)),
      (item) => take(byName.get(nameIn(item) ?? "")),
      // Fragments may have waited for a name that comes only here.
      () => take(byName.get(undefined)),
    ];
    for (const find of ways) {
      for (const item of items) {
        const call = matches.has(item) ? undefined : find(item);
        if (call === undefined) continue;
        matches.set(item, call);
        taken.add(call);
      }
    }
    return matches;
  }

  /** The first value wins. @returns it, unless the call had one */
  #learn(call: Item, fact: "callId" | "name", value: string | undefined): string | undefined {
    if (value === undefined || call[fact] !== undefined) return undefined;
    this.#alike[fact].get(undefined)?.delete(call);
    call[fact] = value;
    this.#group(call, fact);
    return value;
  }

  #group(call: Item, fact: "callId" | "name"): void {
    const calls = this.#alike[fact].get(call[fact]) ?? new Set();
    calls.add(call);
    this.#alike[fact].set(call[fact], calls);
  }

  #pushItem(field: string, value: JsonObject): void {
    this.#deltas.push({ type: "field", choice: 0, field, value });
  }
}

function isItem(value: unknown): value is ItemContent {
  return isObject(value) && typeof value["type"] === "string";
}

function isCall({ type }: { readonly type: string }): boolean {
  return CALL_TYPES.has(type);
}
