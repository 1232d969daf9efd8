import { isObject, type JsonObject, presentString } from "../../json/object.ts";
import type { CallDelta, Delta } from "../delta.ts";
import type { DialectReader, ResponseDialect } from "../dialect.ts";
import { argumentText, indexKey, nameIn, objectOr, unknownFields, words } from "../fields.ts";
import { isOtherEntry } from "./entries.ts";

/** The fields of a call, and of its `function` or `custom`, that are read below. */
const KNOWN_CALL_FIELDS = /* @__PURE__ */ words(
  "index id type function custom name arguments input",
);

/** More than anyone sends: a server must not fill the memory with them. */
const MAX_OTHERS = 1024;

/** The bucket of the one call that `function_call` can carry. */
const LEGACY_INDEX = "function_call";

/** OpenAI Chat Completions, from OpenAI and from servers that say they are compatible. */
export const chat: ResponseDialect = {
  name: "chat",
  hasFurtherCalls: true,

  matches(payload) {
    return (
      Array.isArray(payload["choices"]) ||
      payload["object"] === "chat.completion.chunk" ||
      payload["object"] === "chat.completion"
    );
  },

  openReader: () => new ChatReader(),
};

/** Reads calls, and references to them. What else a chunk says is read in `message-reader.ts`. */
export class ChatReader implements DialectReader {
  /** The deltas of the current event. */
  protected deltas: Delta[] = [];
  /** By choice and index: the entries of `tool_calls` that are no calls. Later pieces leave the type out. */
  #others = new Set<string>();
  /** Whether deltas tell where ids stand. */
  protected readonly hasPlaces: boolean = true;

  read(payload: JsonObject): Delta[] {
    this.deltas = [];
    const { choices } = payload;
    // Azure sends `choices: null` beside its filter results.
    for (const choice of Array.isArray(choices) ? choices : []) {
      if (isObject(choice)) this.readChoice(choice, choiceNumber(choice["index"]));
    }
    return this.deltas;
  }

  protected readChoice({ delta, message }: JsonObject, choice: number): void {
    const holder = delta ?? message;
    if (isObject(holder)) this.readMessage(holder, choice, holder !== delta);
  }

  /** @param isFromMessage whether it is a whole message, not a delta of one */
  protected readMessage(message: JsonObject, choice: number, isFromMessage: boolean): void {
    const { tool_calls: calls, function_call: legacyCall, reasoning_details: details } = message;
    const hasEntries = this.#readEntries(calls, choice, isFromMessage);
    if (!hasEntries && isObject(legacyCall)) {
      const call = { function: legacyCall };
      const callDelta = this.#readCall(call, choice, LEGACY_INDEX, false, isFromMessage);
      // Such a call has no id, and no place for one.
      if (callDelta !== undefined) this.deltas.push({ ...callDelta, places: undefined });
    }
    this.#readReferences(details, choice);
  }

  /** @returns whether there are some that say anything */
  #readEntries(calls: unknown, choice: number, isFromMessage: boolean): boolean {
    if (calls === undefined || calls === null) return false;
    const list: readonly unknown[] = Array.isArray(calls) ? calls : [calls];
    const count = this.deltas.length;
    let others: JsonObject[] | undefined;
    for (let position = 0; position < list.length; position += 1) {
      const call = list[position];
      if (!isObject(call)) continue;
      // In a whole message, the position of a call is its index.
      const index = indexKey(call["index"]) ?? (isFromMessage ? `${position}` : undefined);
      if (this.#isOther(call, choice, index)) (others ??= []).push({ ...call, index });
      else {
        const callDelta = this.#readCall(call, choice, index, position > 0, isFromMessage);
        if (callDelta !== undefined) this.deltas.push(callDelta);
      }
    }
    if (others !== undefined) {
      this.deltas.push({
        type: "field",
        choice,
        field: "tool_calls",
        value: others,
        isFromMessage,
      });
    }
    return this.deltas.length > count;
  }

  /** OpenRouter: the id of a detail may be that of the call that it signs, which mostly comes later. */
  #readReferences(details: unknown, choice: number): void {
    if (!this.hasPlaces) return;
    for (const holder of Array.isArray(details) ? details : []) {
      if (!isObject(holder)) continue;
      const id = presentString(holder["id"]);
      if (id === undefined) continue;
      // OpenAI signs its own reasoning so, and knows that by its id.
      const isAhead = holder["type"] === "reasoning.encrypted" && !id.startsWith("rs_");
      const places = [{ holder, field: "id" }];
      this.deltas.push({ type: "reference", choice, id, isAhead, places });
    }
  }

  #isOther(entry: JsonObject, choice: number, index: string | undefined): boolean {
    const isOther = isOtherEntry(entry);
    if (index === undefined || (!isOther && this.#others.size === 0)) return isOther;
    const key = `${choice} ${index}`;
    if (isOther && this.#others.size < MAX_OTHERS) this.#others.add(key);
    return isOther || (this.#others.has(key) && !isObject(entry["function"]));
  }

  #readCall(
    call: JsonObject,
    choice: number,
    index: string | undefined,
    isFurther: boolean,
    isFromMessage: boolean,
  ): CallDelta | undefined {
    const custom = objectOr(call["custom"]);
    // An empty `custom: {}` beside `function` means nothing.
    const hasCustom = Boolean(custom["name"] || custom["input"]);
    const isCustom = hasCustom || (call["type"] === "custom" && !("function" in call));
    // Some servers leave `function` out and send its fields with the others.
    let body = call;
    if (hasCustom) body = custom;
    else if (isObject(call["function"])) body = call["function"];
    const id = presentString(call["id"]);
    const name = nameIn(body);
    const fragment = argumentText(isCustom ? body["input"] : body["arguments"]);
    let extra = unknownFields(call, KNOWN_CALL_FIELDS);
    const bodyExtra = body === call ? undefined : unknownFields(body, KNOWN_CALL_FIELDS);
    if (bodyExtra !== undefined)
      extra = { ...extra, [isCustom ? "custom" : "function"]: bodyExtra };
    // An opener with nothing but an index says nothing yet.
    if (!id && !name && !fragment && !extra) return undefined;
    // The type of a call that the server runs goes back with it.
    const type = presentString(call["type"]);
    if (type !== undefined && type !== "function" && type !== "custom") extra = { type, ...extra };
    return {
      type: "call",
      choice,
      index,
      isFurther,
      isFromMessage,
      // langchainjs#11373: a missing id became text on its way.
      id: id === "null" ? undefined : id,
      name,
      isCustom,
      fragment,
      extra,
      places: this.hasPlaces ? [{ holder: call, field: "id", insert: "first" }] : undefined,
    };
  }
}

/** A missing choice index is 0. */
function choiceNumber(index: unknown): number {
  if (typeof index === "number") return index;
  const number = typeof index === "string" ? Number(index) : 0;
  return Number.isInteger(number) ? number : 0;
}
