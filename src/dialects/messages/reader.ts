import { isObject, type JsonObject, presentString } from "../../json/object.ts";
import type { DiagnosticCode } from "../../types.ts";
import type { CallDelta, Delta, PartDelta } from "../delta.ts";
import type { DialectReader, MessageDialect } from "../dialect.ts";
import {
  argumentText,
  indexKey,
  isReasonIn,
  kindOf,
  nameIn,
  objectOr,
  unknownFields,
  words,
} from "../fields.ts";
import { CALL_PLACE } from "../parts.ts";
import { contentOf } from "./history.ts";

/** The kinds of events that only this dialect has. `ping` and `error` are not among them. */
const KINDS = /^(?:message|content_block)_(?:start|delta|stop)$/;

/** With these, something stopped the model. The last two are words of other dialects. */
const CUT_REASONS = /* @__PURE__ */ words(
  "max_tokens model_context_window_exceeded refusal length content_filter",
);

const CALL_TYPE = "tool_use";

/** The field of deltas that holds input. */
export const INPUT_FIELD = "partial_json";

/** By the type of a delta that brings text or input: the field that holds it. */
const CONTENT_FIELDS: ReadonlyMap<unknown, string> = new Map([
  ["text_delta", "text"],
  ["thinking_delta", "thinking"],
  ["input_json_delta", INPUT_FIELD],
]);

/** The types of blocks that are shown. Their text is in the field named like the type. */
const SHOWN_AS = new Map<string, "text" | "reasoning">([
  ["text", "text"],
  ["thinking", "reasoning"],
]);

/** Anthropic Messages, from Anthropic and from servers that say they are compatible. */
export const messages: MessageDialect = {
  name: "messages",
  // Servers have sent the input of other tools behind the input of one.
  hasFurtherCalls: false,
  hasKinds: true,
  endsWithDone: true,

  matches: (payload, name) =>
    KINDS.test(kindOf(payload, name) ?? "") ||
    (payload["type"] === "message" && Array.isArray(payload["content"])),

  openReader: () => new MessagesReader(),

  isNormalReason: (reason) => !isReasonIn(CUT_REASONS, reason),
};

/** The types of blocks that take no input: text, thinking, results, and no type at all. */
const TAKES_NO_INPUT = /^(?:|text|thinking|redacted_thinking)$|_result$/;

/** What the server says of the message itself: for the next request (`container`), and for logs. */
const RESPONSE_FIELDS = /* @__PURE__ */ words(
  "id model container service_tier stop_sequence stop_details context_management",
);

const KNOWN_CALL_FIELDS = /* @__PURE__ */ words("type id name input");

/** More fields than any usage has: they are copied into each report that follows. */
const MAX_USAGE_FIELDS = 32;

/** Blocks that can be reached by an index: a server must not fill the memory with them. */
const MAX_INDICES = 4096;
const MAX_INDEX_LENGTH = 64;
/** Every longer index counts as this one. */
const LONG_INDEX = "…";

/** A content block of the response. */
interface Block {
  /** Its number, as text. Blocks may share an index, but never this. */
  readonly key: string;
  readonly type: string;
  isStopped?: boolean;
  /** The input in the start of a call. It is passed on when the block is over. */
  startInput?: string;
  /** Takes the content that came under this block's index but cannot belong to it. */
  aside?: Block;
}

/**
 * Reads the events of one message.
 *
 * A block holds its index until another one starts there: servers reuse indices, skip some, give
 * the same to every block, stop blocks early or not at all.
 */
class MessagesReader implements DialectReader {
  /** The deltas of the current event. */
  #deltas: Delta[] = [];
  #messageId: string | undefined;
  #startUsage: [field: string, value: unknown][] = [];
  /** The reason in the start of the message. It is dropped when a block follows. */
  #startReason: string | undefined;
  #hasReason = false;
  #blockCount = 0;
  /** The block that started last. Events without an index mean this one. */
  #latest: Block | undefined;
  /** By index: the block that holds it. */
  #blocks = new Map<string, Block>();
  #calls: Block[] = [];
  /** The tools that have got no input yet. */
  #waiting = new Set<Block>();
  /** Whether input came that fits no known call. */
  #isInputLost = false;

  read(payload: JsonObject, name: string | undefined): Delta[] {
    this.#deltas = [];
    const { message, delta, usage } = payload;
    const key = indexKey(payload["index"]);
    const index = key !== undefined && key.length > MAX_INDEX_LENGTH ? LONG_INDEX : key;
    switch (kindOf(payload, name)) {
      case "message_start":
        this.#startMessage(objectOr(message));
        break;
      case "content_block_start":
        this.#startBlock(index, objectOr(payload["content_block"]));
        break;
      case "content_block_delta":
        this.#readDelta(index, objectOr(delta));
        break;
      case "content_block_stop":
        this.#stop(this.#find(index));
        break;
      case "message_delta":
        this.#readResponse(payload);
        this.#readResponse(objectOr(delta));
        this.#readReason(objectOr(delta)["stop_reason"]);
        this.#readUsage(usage);
        break;
      case "message_stop":
        this.#deltas.push({ type: "end", isCut: false });
        break;
      default:
        // The message without streaming; behind events it only repeats them.
        this.#readResponse(payload);
        this.#readContent(payload);
        this.#readUsage(usage);
        this.#readReason(payload["stop_reason"]);
    }
    return this.#deltas;
  }

  end(isDone: boolean): Delta[] {
    this.#deltas = [];
    if (!this.#hasReason) this.#readReason(this.#startReason);
    // If the body was cut, other input might have followed.
    if (isDone || this.#hasReason) for (const call of this.#calls) this.#takeStartInput(call);
    if (this.#isInputLost) for (const block of this.#waiting) this.#damage(block);
    return this.#deltas;
  }

  #startMessage(message: JsonObject): void {
    const known = this.#messageId;
    const id = presentString(message["id"]) ?? known;
    if (this.#blockCount > 0) {
      // Gateways repeat the start. Another id means a second try, with other calls.
      if (known !== undefined && id !== known) this.#deltas.push({ type: "end", isCut: true });
      else this.#readContent(message);
      return;
    }
    this.#messageId = id;
    this.#readResponse(message);
    const { usage } = message;
    this.#startUsage = Object.entries(objectOr(usage)).slice(0, MAX_USAGE_FIELDS);
    this.#readUsage(usage);
    this.#readContent(message);
    this.#startReason = presentString(message["stop_reason"]);
  }

  /**
   * Reads the blocks of a whole message, or of its start: programmatic tool calling has some there. If
   * blocks have come in events, these only repeat them.
   */
  #readContent(message: JsonObject): void {
    const blocks = contentOf(message).map(objectOr);
    if (this.#blockCount > 0) {
      this.#refer(blocks.filter(({ type }) => type === CALL_TYPE));
      return;
    }
    this.#deltas.push({ type: "choice", choice: 0 });
    for (const block of blocks) this.#stop(this.#startBlock(undefined, block));
  }

  /** A message that repeats the events has their calls, in the same order. */
  #refer(calls: readonly JsonObject[]): void {
    for (const [position, holder] of calls.entries()) {
      const index = this.#calls[position]?.key;
      if (index === undefined) return;
      this.#deltas.push({ type: "reference", index, places: [{ holder, field: "id" }] });
    }
  }

  #startBlock(index: string | undefined, content: JsonObject): Block {
    this.#startReason = undefined;
    const rival = index === undefined ? undefined : this.#release(index);
    const block = this.#open(content);
    this.#latest = block;
    if (index !== undefined) {
      this.#hold(index, block);
      // Other tools begin with `{}` too. Without an index, a tool is out of reach.
      if (isEmptyObject(content["input"])) this.#waiting.add(block);
    }
    if (rival !== undefined && (isCall(rival) || isCall(block))) {
      this.#report("repeated-index", `No one knows whose the input at index ${index} is`);
      this.#damage(rival);
      this.#damage(block);
    }
    return block;
  }

  /**
   * Takes the index from the block that holds it.
   *
   * @returns the block, if it is open and waits for its input
   */
  #release(index: string): Block | undefined {
    const block = this.#blocks.get(index);
    if (block === undefined) return undefined;
    this.#takeStartInput(block);
    const isWaiting = !block.isStopped && this.#waiting.has(block);
    this.#forget(index, block);
    return isWaiting ? block : undefined;
  }

  #hold(index: string, block: Block): void {
    this.#blocks.set(index, block);
    for (const oldest of this.#blocks) {
      if (this.#blocks.size <= MAX_INDICES) return;
      this.#forget(...oldest);
    }
  }

  #forget(index: string, block: Block): void {
    this.#blocks.delete(index);
    // The number of waiting calls is limited, but not the number of other waiting tools.
    if (!isCall(block)) this.#waiting.delete(block);
  }

  #find(index: string | undefined): Block | undefined {
    return index === undefined ? this.#latest : this.#blocks.get(index);
  }

  /** Opens a block at the end of the message. */
  #open(content: JsonObject): Block {
    const type = presentString(content["type"]) ?? "";
    const block = { key: `${this.#blockCount}`, type };
    this.#blockCount += 1;
    if (isCall(block)) this.#openCall(block, content);
    else if (type !== "") this.#openPart(block, content); // Servers reject a block without one.
    return block;
  }

  #openCall(block: Block, content: JsonObject): void {
    const { id, input } = content;
    this.#calls.push(block);
    this.#waiting.add(block);
    this.#pushPart(CALL_PLACE, undefined);
    this.#deltas.push({
      type: "call",
      choice: 0,
      index: block.key,
      id: presentString(id),
      name: nameIn(content),
      fragment: "",
      extra: unknownFields(content, KNOWN_CALL_FIELDS),
      places: [{ holder: content, field: "id", mayInsert: true }],
    });
    const hasInput = typeof input === "string" || (isObject(input) && !isEmptyObject(input));
    if (hasInput) block.startInput = argumentText(input);
  }

  /** The start of a block may hold the beginning of its text. */
  #openPart(block: Block, content: JsonObject): void {
    const { key, type } = block;
    const shown = SHOWN_AS.has(type) && textOf(content[type]);
    this.#pushPart(key, shown ? { ...content, [type]: "" } : content);
    if (shown) this.#addContent(block, type, shown);
  }

  #stop(block: Block | undefined): void {
    if (block === undefined) return;
    block.isStopped = true;
    this.#takeStartInput(block);
  }

  #readDelta(index: string | undefined, delta: JsonObject): void {
    const field = CONTENT_FIELDS.get(delta["type"]);
    if (field === undefined) {
      this.#readFields(this.#find(index), delta);
      return;
    }
    const value = delta[field];
    const text = field === INPUT_FIELD ? argumentText(value) : textOf(value);
    if (!text) return;
    const block = this.#findFor(index, field);
    if (block !== undefined) this.#addContent(block, field, text);
    else if (!this.#isInputLost) {
      this.#isInputLost = true;
      this.#report("lost-fragment", "Input came that is for no known call");
    }
  }

  /** Reads fields that go back with the history unseen: signatures, citations, and all else. */
  #readFields(block: Block | undefined, delta: JsonObject): void {
    if (block === undefined) return;
    // Nothing but thinking is signed.
    if (delta["type"] === "signature_delta" && block.type !== "thinking") return;
    for (const field in delta) {
      const value = delta[field];
      if (field === "type" || value === null || value === "") continue;
      this.#pushPart(block.key, value, field);
    }
  }

  /**
   * The block that takes a field under an index: the block that holds the index, or its `aside`. If
   * neither takes it, some server has miscounted. Text and thinking then open a block of their own;
   * input goes to the only tool that waits for some.
   */
  #findFor(index: string | undefined, field: string): Block | undefined {
    const holder = this.#find(index);
    if (takes(holder, field)) return holder;
    if (takes(holder?.aside, field)) return holder?.aside;
    const block =
      field === INPUT_FIELD ? this.#onlyWaiting() : this.#open({ type: field, [field]: "" });
    if (block === undefined) return undefined;
    if (holder !== undefined) holder.aside = block;
    else if (index === undefined) this.#latest = block;
    else this.#hold(index, block);
    return block;
  }

  #onlyWaiting(): Block | undefined {
    const [block, other] = this.#waiting;
    return other === undefined ? block : undefined;
  }

  #addContent(block: Block, field: string, text: string): void {
    this.#waiting.delete(block);
    if (isCall(block)) this.#pushFragment(block, text, "piece");
    else this.#pushText(block.key, text, field, SHOWN_AS.get(field));
  }

  #takeStartInput(block: Block): void {
    const { startInput } = block;
    if (!startInput) return;
    block.startInput = "";
    this.#waiting.delete(block);
    this.#pushFragment(block, startInput, "opening");
  }

  #damage(block: Block): void {
    if (isCall(block)) this.#deltas.push({ type: "damage", choice: 0, index: block.key });
  }

  #readResponse(holder: JsonObject): void {
    const fields = Object.entries(holder).filter(([field]) => RESPONSE_FIELDS.has(field));
    this.#deltas.push({ type: "response", fields: Object.fromEntries(fields) });
  }

  #readReason(value: unknown): void {
    const reason = presentString(value);
    if (reason === undefined) return;
    this.#hasReason = true;
    this.#deltas.push({ type: "finish", choice: 0, reason });
  }

  /** Only the start of a message tells the input tokens, and only its end the output tokens. */
  #readUsage(usage: unknown): void {
    if (!isObject(usage)) return;
    const fields = Object.entries(usage).filter(([, value]) => value !== null);
    const merged = Object.fromEntries([...this.#startUsage, ...fields]);
    this.#deltas.push({ type: "usage", usage: merged });
  }

  #pushFragment(block: Block, fragment: string, extent: CallDelta["extent"] & string): void {
    this.#deltas.push({ type: "call", choice: 0, index: block.key, fragment, extent });
  }

  #pushPart(field: string, value: unknown, path?: string): void {
    this.#deltas.push({ type: "field", choice: 0, field, path, value });
  }

  #pushText(field: string, value: string, path: string, type: PartDelta["type"] = "field"): void {
    this.#deltas.push({ type, choice: 0, field, path, value });
  }

  #report(code: DiagnosticCode, message: string): void {
    this.#deltas.push({ type: "diagnostic", code, message });
  }
}

/** Servers have sent text that is a number as a number. */
function textOf(value: unknown): string | undefined {
  return typeof value === "number" ? `${value}` : presentString(value);
}

function isCall({ type }: Block): boolean {
  return type === CALL_TYPE;
}

/** Server tools and blocks of unknown types own the input that comes for them. */
function takes(block: Block | undefined, field: string): boolean {
  if (block === undefined) return false;
  return field === INPUT_FIELD ? !TAKES_NO_INPUT.test(block.type) : block.type === field;
}

function isEmptyObject(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}
