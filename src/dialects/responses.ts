import { jsonText } from "../json-value.ts";
import { isObject, presentString, toProviderError } from "../provider-error.ts";
import { TextBuffer } from "../text-buffer.ts";
import type { JsonObject, ResponsesItem, ToolCall } from "../types.ts";
import type { CallDelta, Delta, DialectReader, IdPlace, WireDialect } from "./dialect.ts";
import type { HistoryDialect } from "./history-dialect.ts";
import { CALL, CALL_PLACE, PART, type PartDraft, PartsDraft } from "./parts.ts";
import { argumentText, idOf, indexKey, kindOf, nameOf, objectOr, unknownFields } from "./fields.ts";

/** The items that are calls, and the field of each that holds what it is called with. */
const CALL_TYPES: ReadonlyMap<unknown, "arguments" | "input"> = new Map([
  ["function_call", "arguments"],
  ["custom_tool_call", "input"],
] as const);

type CallType = "function_call" | "custom_tool_call";

/** The items that answer calls. */
const RESULT_TYPES: ReadonlySet<unknown> = new Set([
  "function_call_output",
  "custom_tool_call_output",
]);

/** How the types of items end that answer others. */
const RESULT_SUFFIX = "_output";

/** Programs of the server, whose calls name them by their ids: all of it goes back as it came. */
const SERVER_TYPES: ReadonlySet<string> = new Set(["program", "program_output"]);

/** The events that hold the whole response; some gateways say `done` for `completed`. */
const TERMINAL_KINDS: ReadonlyMap<string, string> = new Map([
  ["response.completed", "completed"],
  ["response.done", "completed"],
  ["response.incomplete", "incomplete"],
  ["response.failed", "failed"],
  ["response.cancelled", "cancelled"],
]);

/** OpenAI Responses, as it is sent by OpenAI and by those who say they are compatible. */
export const responses: WireDialect = {
  name: "responses",
  // Behind the arguments of one tool, servers have sent those of others.
  hasFurtherCalls: false,
  hasKinds: true,
  // Gateways add it to every stream, whether or not the response came to its end.
  endsWithDone: false,

  matches: (payload, name) =>
    kindOf(payload, name)?.startsWith("response.") === true || isWholeResponse(payload),

  openReader: () => new ResponsesReader(),

  isNormalReason: (reason) => reason === "completed",

  draftMessage: () => new PartsDraft(ItemDraft, writeCall),
};

/** Its histories. */
export const responsesHistory: HistoryDialect = {
  name: "responses",
  isItemized: true,

  endsTurn: ({ type, role }) =>
    role === undefined ? `${type}`.endsWith(RESULT_SUFFIX) : role !== "assistant",

  writeResult: (call, output) => ({
    type: call.type === "custom" ? "custom_tool_call_output" : "function_call_output",
    call_id: call.id,
    output,
  }),

  readReferences(item) {
    const { type, call_id: callId, name } = item;
    const place = { id: idOf(callId), holder: item, field: "call_id" };
    if (CALL_TYPES.has(type)) return [{ type: "call", name: presentString(name), ...place }];
    return RESULT_TYPES.has(type) ? [{ type: "result", name: undefined, ...place }] : [];
  },

  writeIds: (item, ids) => ({ ...item, call_id: ids[0] }),
};

function isWholeResponse(payload: JsonObject): boolean {
  return payload["object"] === "response" && Array.isArray(payload["output"]);
}

const KNOWN_CALL_FIELDS: ReadonlySet<string> = new Set([
  "type",
  "id",
  "item_id",
  "output_index",
  "call_id",
  "name",
  "arguments",
  "input",
  "status",
]);

/** The items that are remembered beside calls: a server must not fill the memory with them. */
const MAX_OTHER_ITEMS = 4096;

/** The texts that an item holds, as its parts name them. */
type TextType = "output_text" | "refusal" | "summary_text" | "reasoning_text";

/** The events that tell of a text; refusals are none that is shown. */
const SHOWN_AS = {
  output_text: "text",
  refusal: "field",
  summary_text: "reasoning",
  reasoning_text: "reasoning",
} as const;

/** In the paths of part deltas, between the type of a text and its index. */
const SEPARATOR = " ";

const PLACEHOLDER = "{}";

/** Stands for the name of a call that has none yet; no name has a space at its end. */
const NAMELESS = " ";

/** An output item of the response. */
interface Item {
  /** Its number, as text: unlike its ids, no other item has it. */
  readonly key: string;
  readonly type: string;
  readonly outputIndex: string | undefined;
  /** The id that came first, of the item. */
  itemId: string | undefined;
  callId: string | undefined;
  /** Of a result: what it is the result of. */
  referent: Item | undefined;
  name: string | undefined;
  isDone: boolean;
  /** Whether its text has been shown, so that a later copy of it is not. */
  isShown: boolean;
}

/** How an event names the item that it is about. */
interface Address {
  readonly itemId: string | undefined;
  readonly callId: string | undefined;
  readonly outputIndex: string | undefined;
}

/**
 * Events → deltas. Decides which item an event is about: gateways leave out, repeat, or change with
 * each event what should tell.
 */
class ResponsesReader implements DialectReader {
  readonly isStateless = false;

  #deltas: Delta[] = [];
  #itemCount = 0;
  #otherCount = 0;
  #calls: Item[] = [];
  /** By item id; and calls by call id. */
  #byId = new Map<string, Item>();
  #byCallId = new Map<string, Item>();
  /** The calls whose item is not done, in order; and under each output index, the newest first. */
  #open: Item[] = [];
  #openAt = new Map<string | undefined, Item[]>();
  /** The latest item under each output index that is no call, and the latest of all. */
  #otherAt = new Map<string, Item>();
  #latestOther: Item | undefined;
  /** By call id: the latest item of another type that has it. */
  #referents = new Map<string, Item>();
  /** The items that are no calls, in order, by type. */
  #others = new Map<string, Item[]>();
  /** The response has failed without a word; an event may follow that has one. */
  #hasFailed = false;

  read(payload: JsonObject, name: string | undefined): Delta[] {
    this.#deltas = [];
    const kind = kindOf(payload, name) ?? "";
    const status = TERMINAL_KINDS.get(kind);
    if (isWholeResponse(payload)) this.#readResponse(payload, "completed");
    else if (status !== undefined) this.#readResponse(objectOr(payload["response"]), status);
    else this.#readEvent(kind, payload);
    return this.#deltas;
  }

  end(): Delta[] {
    return this.#hasFailed ? [{ type: "error", error: toProviderError({}) }] : [];
  }

  #readEvent(kind: string, payload: JsonObject): void {
    const address = {
      itemId: presentString(payload["item_id"]),
      callId: presentString(payload["call_id"]),
      outputIndex: indexKey(payload["output_index"]),
    };
    switch (kind) {
      case "response.output_item.added":
        this.#startItem(objectOr(payload["item"]), address.outputIndex);
        break;
      case "response.output_item.done":
        this.#finishItem(objectOr(payload["item"]), address.outputIndex);
        break;
      case "response.function_call_arguments.delta":
        this.#readFragment("function_call", payload, address);
        break;
      case "response.custom_tool_call_input.delta":
        this.#readFragment("custom_tool_call", payload, address);
        break;
      case "response.function_call_arguments.done":
        this.#readWhole("function_call", payload["arguments"], payload, address);
        break;
      case "response.custom_tool_call_input.done":
        this.#readWhole("custom_tool_call", payload["input"], payload, address);
        break;
      case "response.output_text.delta":
        this.#readText("output_text", payload["delta"], payload["content_index"], address);
        break;
      case "response.refusal.delta":
        this.#readText("refusal", payload["delta"], payload["content_index"], address);
        break;
      case "response.reasoning_text.delta":
        this.#readText("reasoning_text", payload["delta"], payload["content_index"], address);
        break;
      case "response.reasoning_summary_text.delta":
        this.#readText("summary_text", payload["delta"], payload["summary_index"], address);
        break;
      default:
        this.#deltas.push({ type: "choice", choice: 0 });
    }
  }

  #startItem(content: JsonObject, outputIndex: string | undefined): void {
    const { type } = content;
    const sameId = this.#byId.get(idOf(content["id"]));
    if (typeof type !== "string") return;
    if (!CALL_TYPES.has(type)) {
      this.#refer(sameId ?? this.#openOther(type, content, outputIndex), content);
      return;
    }
    const sameCallId = this.#byCallId.get(idOf(content["call_id"]));
    const isSame =
      sameCallId?.outputIndex === outputIndex &&
      // Where there is no index either, servers have begun another call with the same call id.
      (outputIndex !== undefined || !isOther(sameCallId?.itemId, presentString(content["id"])));
    const call = sameId ?? (isSame ? sameCallId : undefined) ?? this.#openCall(type, outputIndex);
    this.#describe(call, content, true);
  }

  #finishItem(content: JsonObject, outputIndex: string | undefined): void {
    const { type } = content;
    if (typeof type !== "string") return;
    if (CALL_TYPES.has(type)) {
      const call = this.#findDone(content, outputIndex) ?? this.#openCall(type, outputIndex);
      this.#describe(call, content);
      this.#close(call);
      return;
    }
    const at = outputIndex === undefined ? this.#latestOther : this.#otherAt.get(outputIndex);
    const open = at?.type === type && !at.isDone ? at : undefined;
    this.#finishOther(this.#byItemId(content) ?? open, type, content, outputIndex);
  }

  #byItemId(content: JsonObject): Item | undefined {
    return this.#byId.get(idOf(content["id"])) ?? this.#byId.get(idOf(content["item_id"]));
  }

  /** The call whose item is done: by its id, else one that is open under its index, or its call id. */
  #findDone(content: JsonObject, outputIndex: string | undefined): Item | undefined {
    const known = this.#byItemId(content);
    if (known !== undefined) return known;
    const name = presentString(content["name"])?.trim();
    const isNamedSo = (call: Item): boolean => call.name === undefined || call.name === name;
    const open = outputIndex === undefined ? undefined : this.#openAt.get(outputIndex);
    const callId = presentString(content["call_id"]);
    const sameId = this.#byCallId.get(callId ?? "");
    // With nothing to go by, it is more likely the end of an open call than one call more.
    if (outputIndex === undefined && sameId === undefined) {
      const newest = this.#open.at(-1);
      const isIt = newest !== undefined && !isOther(newest.callId, callId) && isNamedSo(newest);
      return isIt ? newest : undefined;
    }
    return open?.find(isNamedSo) ?? (sameId?.isDone === false ? sameId : undefined);
  }

  /**
   * What an item says of its call; of what is known already, nothing counts.
   *
   * @param isStart whether arguments are to follow: then `{}` says no more than an empty text
   * @param streamedId the id of the item so far, where the whole response may have another one
   */
  #describe(call: Item, content: JsonObject, isStart = false, streamedId?: string): void {
    const field = CALL_TYPES.get(content["type"]);
    if (field === undefined || !isCall(call)) return;
    const itemId = presentString(content["id"]) ?? presentString(content["item_id"]);
    if (itemId !== undefined) this.#byId.set(itemId, call);
    call.itemId ??= itemId;
    const callId = call.callId === undefined ? presentString(content["call_id"]) : undefined;
    if (callId !== undefined) this.#byCallId.set(callId, call);
    call.callId ??= callId;
    const fragment = argumentText(content[field]);
    this.#pushCall(call, {
      id: callId,
      name: this.#rename(call, content["name"]),
      fragment: isStart && fragment === PLACEHOLDER ? "" : fragment,
      isSnapshot: true,
      extra: unknownFields(content, KNOWN_CALL_FIELDS),
      places: placesOf(content, true, streamedId),
    });
  }

  /** @returns the name, where the call had none */
  #rename(call: Item, value: unknown): string | undefined {
    if (call.name !== undefined) return undefined;
    call.name = presentString(value)?.trim() || undefined;
    return call.name;
  }

  #readFragment(type: CallType, payload: JsonObject, address: Address): void {
    const fragment = argumentText(payload["delta"]);
    if (fragment === "") return;
    const item = this.#find(address) ?? this.#openCall(type, address.outputIndex, address.itemId);
    if (isCall(item)) this.#pushCall(item, { fragment, places: this.#placesIn(payload, item) });
  }

  /** The whole arguments, and the name with some. */
  #readWhole(type: CallType, value: unknown, payload: JsonObject, address: Address): void {
    const item = this.#find(address) ?? this.#openCall(type, address.outputIndex, address.itemId);
    if (!isCall(item)) return;
    const places = this.#placesIn(payload, item);
    const fragment = argumentText(value);
    this.#pushCall(item, {
      name: this.#rename(item, payload["name"]),
      fragment,
      isSnapshot: true,
      places,
    });
  }

  /** Where a fragment names its call by the id of the call: llama.cpp has no other for the item. */
  #placesIn(payload: JsonObject, { callId }: Item): IdPlace[] {
    const fields = ["call_id", "item_id"].filter((field) => {
      const id = presentString(payload[field]);
      return id !== undefined && (field === "call_id" || (id === callId && !this.#byId.has(id)));
    });
    return fields.map((field) => ({ holder: payload, field, mayInsert: false, text: undefined }));
  }

  /**
   * The item of a fragment: by its item id, which may be a call id; else the newest call that is open
   * under its index, or, where it has neither, that is open at all. Fragments of none wait in a call
   * that has no name.
   */
  #find({ itemId = "", callId = itemId, outputIndex }: Address): Item | undefined {
    const known = this.#byId.get(itemId) ?? this.#byCallId.get(callId);
    if (known !== undefined) return known;
    if (outputIndex !== undefined) return this.#openAt.get(outputIndex)?.[0];
    return itemId === "" ? this.#open.at(-1) : undefined;
  }

  #openCall(type: string, outputIndex: string | undefined, itemId?: string): Item {
    const call = this.#openItem(type, outputIndex);
    if (itemId !== undefined) this.#byId.set(itemId, call);
    call.itemId = itemId;
    this.#calls.push(call);
    this.#open.push(call);
    const calls = this.#openAt.get(outputIndex) ?? [];
    calls.unshift(call);
    this.#openAt.set(outputIndex, calls);
    this.#deltas.push({ type: "field", ...PART, field: CALL_PLACE, value: undefined });
    return call;
  }

  #openItem(type: string, outputIndex: string | undefined): Item {
    const key = `${this.#itemCount}`;
    this.#itemCount += 1;
    const ids = { itemId: undefined, callId: undefined, referent: undefined };
    return { key, type, outputIndex, ...ids, name: undefined, isDone: false, isShown: false };
  }

  #close(call: Item): void {
    if (call.isDone) return;
    call.isDone = true;
    this.#open = this.#open.filter((other) => other !== call);
    const calls = this.#openAt.get(call.outputIndex) ?? [];
    this.#openAt.set(
      call.outputIndex,
      calls.filter((other) => other !== call),
    );
  }

  /** An item that is no call. Its id is remembered, so that fragments for it go nowhere. */
  #openOther(type: string, content: JsonObject, outputIndex: string | undefined): Item {
    const item = this.#openItem(type, outputIndex);
    this.#deltas.push({ type: "field", ...PART, field: item.key, value: content });
    this.#latestOther = item;
    this.#otherCount += 1;
    if (this.#otherCount > MAX_OTHER_ITEMS) return item;
    const id = presentString(content["id"]);
    if (id !== undefined) this.#byId.set(id, item);
    item.itemId = id;
    if (outputIndex !== undefined) this.#otherAt.set(outputIndex, item);
    const others = this.#others.get(type) ?? [];
    others.push(item);
    this.#others.set(type, others);
    return item;
  }

  /** Calls of hosted tools and of the computer have ids of calls as well, and so have their results. */
  #refer(item: Item, content: JsonObject, streamedId?: string): void {
    const callId = presentString(content["call_id"]);
    if (callId === undefined || isCall(item) || SERVER_TYPES.has(item.type)) return;
    if (this.#otherCount > MAX_OTHER_ITEMS) return;
    const isResult = item.type.endsWith(RESULT_SUFFIX);
    if (isResult) item.referent ??= this.#referents.get(callId) ?? this.#byCallId.get(callId);
    else this.#referents.set(callId, item);
    const places = placesOf(content, false, streamedId);
    this.#deltas.push({ type: "reference", index: (item.referent ?? item).key, places });
  }

  #finishOther(
    known: Item | undefined,
    type: string,
    content: JsonObject,
    outputIndex: string | undefined,
    streamedId?: string,
  ): void {
    const item = known ?? this.#openOther(type, content, outputIndex);
    this.#refer(item, content, streamedId);
    if (item.isDone || item.type !== type) return;
    item.isDone = true;
    if (!item.isShown) this.#showContent(item, content);
    this.#deltas.push({ type: "field", ...PART, field: item.key, value: content });
  }

  /** Text that has come in no delta. */
  #showContent(item: Item, { content, summary }: JsonObject): void {
    for (const parts of [summary, content]) {
      if (!Array.isArray(parts)) continue;
      for (const [index, part] of parts.entries()) {
        const { type, text } = objectOr(part);
        const shown = presentString(text);
        if (shown !== undefined && isShownType(type)) this.#show(item, type, `${index}`, shown);
      }
    }
  }

  #readText(type: TextType, delta: unknown, index: unknown, address: Address): void {
    const text = presentString(delta);
    if (text === undefined) return;
    const { itemId, outputIndex } = address;
    const itemType = type === "output_text" || type === "refusal" ? "message" : "reasoning";
    const known = this.#byId.get(itemId ?? "");
    const at = outputIndex === undefined ? this.#latestOther : this.#otherAt.get(outputIndex);
    const open = at?.type === itemType && !at.isDone ? at : undefined;
    const item =
      known ?? open ?? this.#openOther(itemType, emptyItem(itemType, itemId), outputIndex);
    if (!isCall(item)) this.#show(item, type, indexKey(index) ?? "0", text);
  }

  #show(item: Item, type: TextType, index: string, text: string): void {
    if (type !== "refusal") item.isShown = true;
    const path = type + SEPARATOR + index;
    this.#deltas.push({ type: SHOWN_AS[type], ...PART, field: item.key, path, value: text });
  }

  /** The response as a whole: it adds text and calls, and takes nothing back. */
  #readResponse(response: JsonObject, status: string): void {
    const { output, usage, error } = response;
    const items = Array.isArray(output) ? output.filter(isObject) : [];
    const calls = this.#matchCalls(items.filter(({ type }) => CALL_TYPES.has(type)));
    const positions = new Map<string, number>();
    for (const item of items) {
      const { type } = item;
      if (typeof type !== "string") continue;
      if (CALL_TYPES.has(type)) {
        const call = calls.get(item) ?? this.#openCall(type, undefined);
        this.#describe(call, item, false, call.itemId);
        this.#close(call);
        continue;
      }
      const position = positions.get(type) ?? 0;
      positions.set(type, position + 1);
      const known = this.#byItemId(item) ?? this.#others.get(type)?.[position];
      this.#finishOther(known, type, item, undefined, known?.itemId);
    }
    if (isObject(usage)) this.#deltas.push({ type: "usage", usage });
    const actual = presentString(response["status"]) ?? status;
    const { reason } = objectOr(response["incomplete_details"]);
    const incomplete = actual === "incomplete" ? presentString(reason) : undefined;
    this.#deltas.push({ type: "finish", choice: 0, reason: incomplete ?? actual });
    if (isObject(error)) this.#deltas.push({ type: "error", error: toProviderError(error) });
    else if (actual === "failed") this.#hasFailed = true;
    else this.#deltas.push({ type: "end", isCut: false });
  }

  /**
   * Which call each item of the whole response is. Some servers parse their own output again for it, and
   * mint other ids: it is the call with the item's id, or with its call id, or the first of its name, of
   * those that no other item is.
   */
  #matchCalls(items: readonly JsonObject[]): Map<JsonObject, Item> {
    const matches = new Map<JsonObject, Item>();
    const free = new Set(this.#calls);
    const match = (find: (item: JsonObject) => Item | undefined): void => {
      for (const item of items) {
        const call = matches.has(item) ? undefined : find(item);
        if (call !== undefined && free.delete(call)) matches.set(item, call);
      }
    };
    const matchBy = (
      ofCall: (call: Item) => string | undefined,
      ofItem: (item: JsonObject) => string | undefined,
    ): void => {
      const calls = new Map<string | undefined, Item[]>();
      for (const call of free) {
        const same = calls.get(ofCall(call)) ?? [];
        same.push(call);
        calls.set(ofCall(call), same);
      }
      const queues = new Map([...calls].map(([key, same]) => [key, same.values()]));
      match((item) => {
        const key = ofItem(item);
        return key === undefined ? undefined : queues.get(key)?.next().value;
      });
    };
    match((item) => this.#byItemId(item));
    matchBy(
      ({ callId }) => callId,
      ({ call_id: id }) => presentString(id),
    );
    matchBy(
      ({ name }) => name,
      ({ name }) => presentString(name)?.trim(),
    );
    // Fragments may have waited for the name that only comes here.
    matchBy(
      ({ name }) => name ?? NAMELESS,
      () => NAMELESS,
    );
    return matches;
  }

  #pushCall(call: Item, facts: Partial<CallDelta>): void {
    const isCustom = call.type === "custom_tool_call";
    this.#deltas.push({ ...CALL, index: call.key, isCustom, ...facts });
  }
}

/** @param streamedId the id of the item so far: OpenAI's SDK throws where it is another one in the end */
function placesOf(item: JsonObject, mayInsert: boolean, streamedId: string | undefined): IdPlace[] {
  const places = [{ holder: item, field: "call_id", mayInsert, text: undefined }];
  return streamedId === undefined || streamedId === item["id"]
    ? places
    : [...places, { holder: item, field: "id", mayInsert: false, text: streamedId }];
}

/** An absent id differs from none. */
function isOther(id: string | undefined, other: string | undefined): boolean {
  return id !== undefined && other !== undefined && id !== other;
}

function isCall({ type }: Item): boolean {
  return CALL_TYPES.has(type);
}

function isShownType(type: unknown): type is "output_text" | "summary_text" | "reasoning_text" {
  return type === "output_text" || type === "summary_text" || type === "reasoning_text";
}

/** An item whose start did not come. */
function emptyItem(type: "message" | "reasoning", id: string | undefined): JsonObject {
  return type === "message"
    ? { type, id, role: "assistant", content: [] }
    : { type, id, summary: [] };
}

/** An item that is no call: as its end has it, else its start with the texts so far. */
class ItemDraft implements PartDraft<ResponsesItem> {
  #content: JsonObject = {};
  /** By their types and indices. */
  #texts = new Map<string, TextBuffer>();
  #length = 0;

  replace(content: JsonObject): number {
    const before = this.#length;
    this.#content = content;
    this.#texts.clear();
    this.#length = jsonText(content).length;
    return this.#length - before;
  }

  add(path: string, fragment: string): number {
    const text = this.#texts.get(path) ?? new TextBuffer();
    this.#texts.set(path, text);
    text.append(fragment);
    this.#length += fragment.length;
    return fragment.length;
  }

  /**
   * Ids of items are bound to the server that minted them, some to a connection, and a history that has
   * them is then rejected. Reasoning without its encrypted content is nothing but its id; and the items
   * of hosted tools need theirs.
   */
  write(): ResponsesItem {
    const { id, status, ...content } = this.#texts.size > 0 ? this.#cut() : this.#content;
    const { type, encrypted_content: encrypted } = content;
    const isReasoning = type === "reasoning";
    const isWithoutId =
      type === "message" || (isReasoning && presentString(encrypted) !== undefined);
    return {
      ...content,
      ...(!isWithoutId && id !== undefined && { id }),
      // OpenAI answers 400 to reasoning with a status.
      ...(!isReasoning && status !== undefined && { status }),
    } as ResponsesItem; // The reader opens no item without a type.
  }

  #cut(): JsonObject {
    const texts = [...this.#texts].map(([path, text]) => writeText(path, text.toString()));
    const content = texts.filter(({ type }) => type !== "summary_text");
    const summary = texts.filter(({ type }) => type === "summary_text");
    return {
      ...this.#content,
      ...(this.#content["type"] === "reasoning" && { summary }),
      ...(content.length > 0 && { content }),
      status: "incomplete",
    };
  }
}

function writeText(path: string, text: string): JsonObject {
  const [type] = path.split(SEPARATOR);
  if (type === "refusal") return { type, refusal: text };
  return type === "output_text" ? { type, text, annotations: [] } : { type, text };
}

/** Servers parse the arguments of the history, so an incomplete call stands in it without any. */
function writeCall(call: ToolCall): ResponsesItem {
  const isComplete = call.status === "complete";
  const common = { ...call.extra, call_id: call.id, name: nameOf(call) };
  const status = isComplete ? "completed" : "incomplete";
  return call.type === "custom"
    ? { type: "custom_tool_call", ...common, input: call.arguments, status }
    : { type: "function_call", ...common, arguments: isComplete ? call.arguments : "{}", status };
}
