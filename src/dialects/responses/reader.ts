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

/** Programs of the server, whose calls name them by their ids: all of it goes back as it came. */
const SERVER_TYPES = /^program(_output)?$/;

/** How the kinds of its events begin. */
const PREFIX = "response.";

/** The events that hold the whole response; some gateways say `done` for `completed`. */
const TERMINAL_KINDS = /* @__PURE__ */ words("completed done incomplete failed cancelled");

/** The events that bring pieces of text, or all of it: of a call, or of a part, of which type. */
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

/** As what the text of a part is shown, by its type; a refusal is not. */
const SHOWN_TYPES: ReadonlyMap<unknown, "text" | "reasoning"> = new Map([
  ["output_text", "text"],
  ["reasoning_text", "reasoning"],
  ["summary_text", "reasoning"],
]);

/** OpenAI Responses, as it is sent by OpenAI and by those who say they are compatible. */
export const responses: ResponseDialect = {
  name: "responses",
  // Behind the arguments of one tool, servers have sent those of others.
  hasFurtherCalls: false,
  hasKinds: true,
  // Gateways add it to every stream, whether or not the response came to its end.
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

/** The items that are remembered beside calls: a server must not fill the memory with them. */
const MAX_OTHER_ITEMS = 4096;

/** In the paths of part deltas, between the type of a text and its index. */
export const SEPARATOR = " ";

/** What an event says of an item. */
interface ItemContent extends JsonObject {
  readonly type: string;
}

/** An output item of the response. */
interface Item {
  /** Its number, as text: unlike its ids, no other item has it. */
  readonly key: string;
  readonly type: string;
  readonly outputIndex: string | undefined;
  /** The id that came first, of the item. */
  itemId?: string | undefined;
  callId?: string | undefined;
  /** Of a result: what it is the result of. */
  referent?: Item | undefined;
  name?: string | undefined;
  isDone?: boolean;
  /** Whether its text has been shown, so that a later copy of it is not. */
  isShown?: boolean;
}

/**
 * Events → deltas. Decides which item an event is about: gateways leave out, repeat, or change with
 * each event what should tell.
 */
class ResponsesReader implements DialectReader {
  #deltas: Delta[] = [];
  #itemCount = 0;
  #callCount = 0;
  /** The calls whose item is not done, the newest first. */
  #open: Item[] = [];
  /** The items that are no calls, as far as they are remembered, in order, by type. */
  #others = new Map<string, Item[]>();
  /** The latest of them under each output index, and, under none, of all. */
  #latestOther = new Map<string | undefined, Item>();
  /** By item id; and calls by call id. */
  #byId = new Map<unknown, Item>();
  #byCallId = new Map<unknown, Item>();
  /** Calls by call id and by name, oldest first; under `undefined`, those without one. */
  #alike = { callId: new Map<unknown, Set<Item>>(), name: new Map<unknown, Set<Item>>() };
  /** By call id: the latest item of another type that has it. */
  #referents = new Map<string, Item>();
  /** Said at the end of a response that has failed without a word: an event may follow that has one. */
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
   * @param known the item that it is, if that has come before
   * @param isDone whether all of it is here
   * @param streamedId the id of the item so far, where the whole response may have another one
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
    // OpenAI's SDK throws where an item has another id in the end.
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
    // Of an item that is no call as well: so fragments for it go nowhere.
    this.#identify(item, content["id"]);
    return item;
  }

  /** Whether there are more items beside calls than are remembered. */
  get #isFull(): boolean {
    return this.#itemCount - this.#callCount > MAX_OTHER_ITEMS;
  }

  #identify(item: Item, value: unknown): void {
    const id = presentString(value);
    if (id !== undefined) this.#byId.set(id, item);
    item.itemId ??= id;
  }

  /**
   * The item that an event is about: by its id. Else, of a call that starts again, by its call id under
   * the same index; of one that is done, one that is open under its index, or has its call id.
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
      // Where there is no index either, servers have begun another call with the same call id.
      const isOther = outputIndex === undefined && presentString(id) !== undefined;
      return isOther && sameId?.itemId !== undefined ? undefined : sameId;
    }
    // With nothing to go by, it is more likely the end of an open call than one call more.
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

  /** What an item says of its call; of what is known already, nothing counts. */
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
    // Where arguments are to follow, it says no more than an empty text.
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

  /** Calls of hosted tools and of the computer have ids of calls as well, and so have their results. */
  #refer(item: Item, content: ItemContent, places: IdPlace[]): void {
    const callId = presentString(content["call_id"]);
    const { type } = item;
    if (callId === undefined || isCall(item) || SERVER_TYPES.test(type) || this.#isFull) return;
    const isResult = type.endsWith(RESULT_SUFFIX);
    if (isResult) item.referent ??= this.#referents.get(callId) ?? this.#byCallId.get(callId);
    else this.#referents.set(callId, item);
    this.#deltas.push({ type: "reference", index: (item.referent ?? item).key, places });
  }

  /** Shows the text that has come in no delta. */
  #finishOther(item: Item, end: ItemContent): void {
    if (item.isDone || item.type !== end.type) return;
    item.isDone = true;
    const { content, summary } = end;
    const parts = item.isShown ? [] : [summary, content].filter(Array.isArray).flat();
    for (const { type, text } of parts.map(objectOr)) {
      const shown = presentString(text);
      // Where it goes does not matter: the whole item follows, and takes the place of its texts.
      if (shown !== undefined && SHOWN_TYPES.has(type)) this.#show(item, type, "0", shown);
    }
    this.#pushItem(item.key, end);
  }

  /**
   * A piece of the arguments, or all of them, and the name with some. The item is that of the item id,
   * which may be a call id; else the newest call that is open under its index, or, where it has neither,
   * that is open at all. Fragments of none wait in a call that has no name.
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
      // Its start did not come.
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
      // The n-th of a type is the n-th that came, however those before it are found.
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
   * Which call each item of the whole response is. Some servers parse their own output again for it, and
   * mint other ids: it is the call with the item's id, or with its call id, or the first of its name, of
   * those that no other item is.
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
      // Fragments may have waited for the name that only comes here.
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
