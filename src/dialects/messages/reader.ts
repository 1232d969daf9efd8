import { isObject, type JsonObject, presentString } from "../../json/object.ts";
import type { CallDelta, Delta } from "../delta.ts";
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
import { contentOf } from "./history.ts";

/** The kinds of events that only this dialect has. `ping` and `error` are not among them. */
const KINDS = /* @__PURE__ */ words(
  "message_start message_delta message_stop content_block_start content_block_delta content_block_stop",
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

/** Anthropic Messages, from Anthropic and from servers that say they are compatible. */
export const messages: ResponseDialect = {
  name: "messages",
  // Servers have sent the input of other tools behind the input of one.
  hasFurtherCalls: false,

  matches: (payload, name) =>
    KINDS.has(kindOf(payload, name) ?? "") ||
    (payload["type"] === "message" && Array.isArray(payload["content"])),

  openReader: () => new MessagesReader(),
};

/** The types of blocks that take no input: text, thinking, results, and no type at all. */
const TAKES_NO_INPUT = /^(?:|text|thinking|redacted_thinking)$|_result$/;

const KNOWN_CALL_FIELDS = /* @__PURE__ */ words("type id name input");

/** Blocks that can be reached by an index: a server must not fill the memory with them. */
const MAX_INDICES = 4096;
const MAX_INDEX_LENGTH = 64;
/** Every longer index counts as this one. */
const LONG_INDEX = "…";

/** A content block of the response. */
export interface Block {
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
 * Reads the calls of one message.
 *
 * A block holds its index until another one starts there: servers reuse indices, skip some, give
 * the same to every block, stop blocks early or not at all.
 */
export class MessagesReader implements DialectReader {
  /** The deltas of the current event. */
  protected deltas: Delta[] = [];
  #messageId: string | undefined;
  #blockCount = 0;
  /** The block that started last. Events without an index mean this one. */
  #latest: Block | undefined;
  /** By index: the block that holds it. */
  #blocks = new Map<string, Block>();
  protected readonly calls: Block[] = [];
  /** The tools that have got no input yet. */
  protected readonly waiting: Set<Block> = new Set();

  read(payload: JsonObject, name: string | undefined): Delta[] {
    this.deltas = [];
    const key = indexKey(payload["index"]);
    const index = key !== undefined && key.length > MAX_INDEX_LENGTH ? LONG_INDEX : key;
    switch (kindOf(payload, name)) {
      case "message_start":
        this.#startMessage(objectOr(payload["message"]));
        break;
      case "content_block_start":
        this.startBlock(index, objectOr(payload["content_block"]));
        break;
      case "content_block_delta":
        this.#readDelta(index, objectOr(payload["delta"]));
        break;
      case "content_block_stop":
        this.#stop(this.#find(index));
        break;
      case "message_delta":
      case "message_stop":
        break; // No calls are in these.
      default:
        // The message without streaming; behind events it only repeats them.
        this.readWhole(payload);
    }
    return this.deltas;
  }

  #startMessage(message: JsonObject): void {
    const known = this.#messageId;
    const id = presentString(message["id"]) ?? known;
    if (this.#blockCount > 0) {
      // Gateways repeat the start. Another id means a second try, with other calls.
      if (known !== undefined && id !== known) this.deltas.push({ type: "end", isCut: true });
      else this.readContent(message);
      return;
    }
    this.#messageId = id;
    this.openMessage(message);
  }

  protected openMessage(message: JsonObject): void {
    this.readContent(message);
  }

  protected readWhole(message: JsonObject): void {
    this.readContent(message);
  }

  /**
   * Reads the blocks of a whole message, or of its start: programmatic tool calling has some there. If
   * blocks have come in events, these only repeat them.
   */
  protected readContent(message: JsonObject): void {
    const blocks = contentOf(message).map(objectOr);
    if (this.#blockCount > 0) {
      this.#refer(blocks.filter(({ type }) => type === CALL_TYPE));
      return;
    }
    this.deltas.push({ type: "choice", choice: 0 });
    for (const block of blocks) this.#stop(this.startBlock(undefined, block));
  }

  /** A message that repeats the events has their calls, in the same order. */
  #refer(calls: readonly JsonObject[]): void {
    for (const [position, holder] of calls.entries()) {
      const index = this.calls[position]?.key;
      if (index === undefined) return;
      this.deltas.push({ type: "reference", index, places: [{ holder, field: "id" }] });
    }
  }

  protected startBlock(index: string | undefined, content: JsonObject): Block {
    const rival = index === undefined ? undefined : this.#release(index);
    const block = this.#open(content);
    this.#latest = block;
    if (index !== undefined) {
      this.#hold(index, block);
      // Other tools begin with `{}` too. Without an index, a tool is out of reach.
      if (isEmptyObject(content["input"])) this.waiting.add(block);
    }
    if (rival !== undefined && (isCall(rival) || isCall(block))) {
      const message = `No one knows whose the input at index ${index} is`;
      this.deltas.push({ type: "diagnostic", code: "repeated-index", message });
      this.damage(rival);
      this.damage(block);
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
    this.takeStartInput(block);
    const isWaiting = !block.isStopped && this.waiting.has(block);
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
    if (!isCall(block)) this.waiting.delete(block);
  }

  #find(index: string | undefined): Block | undefined {
    return index === undefined ? this.#latest : this.#blocks.get(index);
  }

  /** Opens a block at the end of the message. */
  #open(content: JsonObject): Block {
    const type = presentString(content["type"]) ?? "";
    const block = { key: `${this.#blockCount}`, type };
    this.#blockCount += 1;
    this.openPart(block, content);
    if (isCall(block)) this.#openCall(block, content);
    return block;
  }

  #openCall(block: Block, content: JsonObject): void {
    const { id, input } = content;
    this.calls.push(block);
    this.waiting.add(block);
    this.deltas.push({
      type: "call",
      choice: 0,
      index: block.key,
      id: presentString(id),
      name: nameIn(content),
      fragment: "",
      extra: unknownFields(content, KNOWN_CALL_FIELDS),
      places: [{ holder: content, field: "id", insert: "first" }],
    });
    const hasInput = typeof input === "string" || (isObject(input) && !isEmptyObject(input));
    if (hasInput) block.startInput = argumentText(input);
  }

  #stop(block: Block | undefined): void {
    if (block === undefined) return;
    block.isStopped = true;
    this.takeStartInput(block);
  }

  #readDelta(index: string | undefined, delta: JsonObject): void {
    const field = CONTENT_FIELDS.get(delta["type"]);
    if (field === undefined) {
      this.readFields(this.#find(index), delta);
      return;
    }
    const value = delta[field];
    const text = field === INPUT_FIELD ? argumentText(value) : textOf(value);
    if (!text) return;
    const block = this.#findFor(index, field);
    if (block !== undefined) this.#addContent(block, field, text);
    else this.loseInput();
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
    const [block, other] = this.waiting;
    return other === undefined ? block : undefined;
  }

  #addContent(block: Block, field: string, text: string): void {
    this.waiting.delete(block);
    if (isCall(block)) this.#pushFragment(block, text, "piece");
    else this.addText(block, field, text);
  }

  protected takeStartInput(block: Block): void {
    const { startInput } = block;
    if (!startInput) return;
    block.startInput = "";
    this.waiting.delete(block);
    this.#pushFragment(block, startInput, "opening");
  }

  protected damage(block: Block): void {
    if (isCall(block)) this.deltas.push({ type: "damage", choice: 0, index: block.key });
  }

  #pushFragment(block: Block, fragment: string, extent: CallDelta["extent"] & string): void {
    this.deltas.push({ type: "call", choice: 0, index: block.key, fragment, extent });
  }

  // What is no call is read in `message-reader.ts`.

  protected openPart(_block: Block, _content: JsonObject): void {}

  protected addText(_block: Block, _field: string, _text: string): void {}

  protected readFields(_block: Block | undefined, _delta: JsonObject): void {}

  /** Input came that is for no known call. */
  protected loseInput(): void {}
}

/** Servers have sent text that is a number as a number. */
export function textOf(value: unknown): string | undefined {
  return typeof value === "number" ? `${value}` : presentString(value);
}

export function isCall({ type }: Block): boolean {
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
