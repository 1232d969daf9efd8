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
import { PLACEHOLDER } from "../placeholder.ts";
import { CALL_TYPES, CUSTOM_CALL, RESULT_SUFFIX, SHOWN_TYPES, SUMMARY, textOf } from "./items.ts";

/** Programs of the server. Their calls name them by their ids, so these items go back unchanged. */
const SERVER_TYPES = /^program(_output)?$/;

/** All kinds of its events begin with this. */
const PREFIX = "response.";

/** Those that say that something is whole end with this. */
const DONE = ".done";

/** The events that hold the whole response; some gateways say `done` for `completed`. */
const TERMINAL_KINDS = /* @__PURE__ */ words("completed done incomplete failed cancelled");

/** As the type of a part: the event has the part, which says it. */
const PART = "part";

/** What brings text, in pieces or whole, and the type of call or part it belongs to. */
const TEXTS: readonly (readonly [text: string, type: string])[] = [
  ["function_call_arguments", "function_call"],
  ["custom_tool_call_input", CUSTOM_CALL],
  ["output_text", "output_text"],
  ["refusal", "refusal"],
  ["reasoning_text", "reasoning_text"],
  ["reasoning_summary_text", SUMMARY],
  ["reasoning_summary_part", SUMMARY],
  ["content_part", PART],
];

/** The events that do: each text in all of its stages. */
const TEXT_EVENTS: ReadonlyMap<string, string> = /* @__PURE__ */ new Map(
  TEXTS.flatMap(([text, type]) =>
    ["", ".added", ".delta", ".done"].map((stage) => [PREFIX + text + stage, type] as const),
  ),
);

/** OpenAI Responses, from OpenAI and from servers that say they are compatible. */
export const responses: ResponseDialect = {
  name: "responses",
  // Servers have sent the arguments of other tools behind the arguments of one.
  hasFurtherCalls: false,

  matches: (payload, name) =>
    kindOf(payload, name)?.startsWith(PREFIX) === true || isResponseObject(payload),

  openReader: () => new ResponsesReader(),
};

/** The whole response in a payload, if there is one. */
export function responseIn(payload: JsonObject): unknown {
  return isResponseObject(payload) ? payload : payload["response"];
}

function isResponseObject(payload: JsonObject): boolean {
  return payload["object"] === "response" && Array.isArray(payload["output"]);
}

const KNOWN_CALL_FIELDS = /* @__PURE__ */ words(
  "type id item_id output_index call_id name arguments input status",
);

/** How many items are remembered beside calls: a server must not fill the memory with them. */
const MAX_OTHER_ITEMS = 4096;

/** An item as one event has it. */
export interface ItemContent extends JsonObject {
  readonly type: string;
}

/** An output item of the response. */
export interface Item {
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
  /** Whether text of it has come. */
  hasText?: boolean;
}

/**
 * Reads calls, and references to them. Decides which item an event is about: gateways leave ids and
 * indices out, repeat them, or change them with each event.
 */
export class ResponsesReader implements DialectReader {
  protected deltas: Delta[] = [];
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

  read(payload: JsonObject, name: string | undefined): Delta[] {
    this.deltas = [];
    const event = kindOf(payload, name) ?? "";
    const type = TEXT_EVENTS.get(event);
    if (isResponseObject(payload)) this.#readResponse(payload, "done");
    else if (type === undefined) this.#readOther(event.slice(PREFIX.length), payload);
    else {
      const outputIndex = indexKey(payload["output_index"]);
      const field = CALL_TYPES.get(type);
      if (field === undefined) this.#readText(type, payload, outputIndex);
      else {
        const isDone = event.endsWith(DONE);
        const text = argumentText(payload[isDone ? field : "delta"]);
        this.#readArguments(type, text, isDone, payload, outputIndex);
      }
    }
    return this.deltas;
  }

  #readOther(kind: string, payload: JsonObject): void {
    const { item } = payload;
    if (TERMINAL_KINDS.has(kind)) this.#readResponse(objectOr(payload["response"]), kind);
    else if (kind !== "output_item.added" && kind !== "output_item.done") {
      this.deltas.push({ type: "choice", choice: 0 });
    } else if (isItem(item)) {
      const isDone = kind.endsWith(DONE);
      const outputIndex = indexKey(payload["output_index"]);
      this.#readItem(this.#findItem(item, outputIndex, isDone), item, outputIndex, isDone);
    }
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
  ): Item {
    const item = known ?? this.#openItem(content, outputIndex, isDone);
    const field = CALL_TYPES.get(content.type);
    const places: IdPlace[] = [
      // Some clients read the start of an item, some its end, some only the whole response.
      { holder: content, field: "call_id", insert: field === undefined ? undefined : "always" },
    ];
    // OpenAI's SDK throws when the id of an item changes at the end.
    if (streamedId !== undefined && streamedId !== content["id"]) {
      places.push({ holder: content, field: "id", text: streamedId });
    }
    if (field === undefined) {
      this.#refer(item, content, places);
      if (isDone && known?.type === content.type) this.endPart(item, content);
      item.isDone ||= isDone;
      return item;
    }
    if (isCall(item)) this.#describe(item, content, field, isDone, places);
    if (!isDone || item.isDone) return item;
    item.isDone = true;
    this.#open = this.#open.filter((call) => !call.isDone);
    return item;
  }

  /** @param isEnd whether all of it is here */
  #openItem(content: ItemContent, outputIndex: string | undefined, isEnd = false): Item {
    const key = `${this.#itemCount}`;
    const item: Item = { key, type: content.type, outputIndex };
    this.#itemCount += 1;
    this.openPart(item, content, isEnd);
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

  /** @param mayBeDone whether the event may come behind the end of its item */
  #openOther(type: string, outputIndex: string | undefined, mayBeDone = false): Item | undefined {
    const latest = this.#latestOther.get(outputIndex);
    return latest?.type === type && (mayBeDone || !latest.isDone) ? latest : undefined;
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
    this.deltas.push({
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
    this.deltas.push({ type: "reference", index: (item.referent ?? item).key, places });
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
    let places: IdPlace[] | undefined;
    if (callId !== undefined) places = [{ holder: payload, field: "call_id" }];
    // llama.cpp has no other id for the item.
    if (id !== undefined && id === item.callId && !this.#byId.has(id)) {
      places = [...(places ?? []), { holder: payload, field: "item_id" }];
    }
    this.deltas.push({
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

  /** Reads a piece of a text, all of it, or the part that has it. */
  #readText(kind: string, payload: JsonObject, outputIndex: string | undefined): void {
    const { delta, text, refusal, part, item_id: itemId } = payload;
    const whole = isObject(part) ? part : refusal === undefined ? { text } : { refusal };
    const value = presentString(delta) ?? (textOf(whole) && whole);
    if (!value) return;
    const type = kind === PART ? `${presentString(whole["type"])}` : kind;
    const id = presentString(itemId);
    const isReasoning = SHOWN_TYPES.get(type) === "reasoning";
    const itemType = isReasoning ? "reasoning" : "message";
    const item =
      this.#byId.get(id) ??
      this.#openOther(itemType, outputIndex, outputIndex !== undefined) ??
      // The start of the item did not come.
      this.#openItem(
        {
          type: itemType,
          id,
          ...(isReasoning ? { summary: [] } : { role: "assistant", content: [] }),
        },
        outputIndex,
      );
    if (!isCall(item)) this.addText(item, type, value, payload);
  }

  /** The response as a whole: it adds text and calls, and takes nothing back. */
  #readResponse(response: JsonObject, kind: string): void {
    const { output } = response;
    const items = Array.isArray(output) ? output.filter(isItem) : [];
    const calls = this.#matchCalls(items.filter(isCall));
    const positions = new Map<string, number>();
    // Where the ids of a type are those of the stream, an item with another id is another one.
    const withIds = items.filter((item) => this.#byItemId(item)?.type === item.type);
    const typesWithIds = new Set(withIds.map(({ type }) => type));
    const keys = items.map((item) => {
      const { type, id } = item;
      // The n-th item of a type is the n-th that came, however the earlier ones were found.
      const position = positions.get(type) ?? 0;
      positions.set(type, position + 1);
      const isOther = typesWithIds.has(type) && presentString(id) !== undefined;
      const alike = isOther ? undefined : this.#others.get(type)?.[position];
      const known = isCall(item) ? calls.get(item) : (this.#byItemId(item) ?? alike);
      return this.#readItem(known, item, undefined, true, known?.itemId).key;
    });
    this.endResponse(response, kind, keys);
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

  // What is no call is read in `message-reader.ts`.

  /** @param isEnd whether all of it is here */
  protected openPart(_item: Item, _content: ItemContent, _isEnd: boolean): void {}

  protected endPart(_item: Item, _content: ItemContent): void {}

  /** @param value a piece of the text, or the part that has all of it */
  protected addText(
    _item: Item,
    _type: string,
    _value: string | JsonObject,
    _payload: JsonObject,
  ): void {}

  /** @param keys those of the items in the response */
  protected endResponse(_response: JsonObject, _kind: string, _keys: readonly string[]): void {}
}

function isItem(value: unknown): value is ItemContent {
  return isObject(value) && typeof value["type"] === "string";
}

export function isCall({ type }: { readonly type: string }): boolean {
  return CALL_TYPES.has(type);
}
