import { isObject, type JsonObject, presentString } from "../../json/object.ts";
import type { DiagnosticCode } from "../../types.ts";
import type { CallDelta, Delta, PartDelta } from "../delta.ts";
import type { DialectReader, ResponseDialect } from "../dialect.ts";
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

/** The kinds of events that no other dialect has: unlike `ping` and `error`. */
const KINDS = /^(?:message|content_block)_(?:start|delta|stop)$/;

/** Where the model did not stop of its own accord; the last two are the words of other dialects. */
const CUT_REASONS = /* @__PURE__ */ words(
  "max_tokens model_context_window_exceeded refusal length content_filter",
);

const CALL_TYPE = "tool_use";

/** The field of deltas that holds input. */
export const INPUT_FIELD = "partial_json";

/** The deltas that bring text, or input, and the field that holds it. */
const CONTENT_FIELDS: ReadonlyMap<unknown, string> = new Map([
  ["text_delta", "text"],
  ["thinking_delta", "thinking"],
  ["input_json_delta", INPUT_FIELD],
]);

/** What blocks of these types hold, in the field of that name, is shown. */
const SHOWN_AS = new Map<string, "text" | "reasoning">([
  ["text", "text"],
  ["thinking", "reasoning"],
]);

/** Anthropic Messages, as it is sent by Anthropic and by those who say they are compatible. */
export const messages: ResponseDialect = {
  name: "messages",
  // Behind the input of one tool, servers have sent those of others.
  hasFurtherCalls: false,
  hasKinds: true,
  endsWithDone: true,

  matches: (payload, name) =>
    KINDS.test(kindOf(payload, name) ?? "") ||
    (payload["type"] === "message" && Array.isArray(payload["content"])),

  openReader: () => new MessagesReader(),

  isNormalReason: (reason) => !isReasonIn(CUT_REASONS, reason),
};

/** What a message holds beside tools takes no input, nor do results, or blocks without type. */
const TAKES_NO_INPUT = /^(?:|text|thinking|redacted_thinking)$|_result$/;

const KNOWN_CALL_FIELDS = /* @__PURE__ */ words("type id name input");

/** More fields than any usage has: they are copied into each report that follows. */
const MAX_USAGE_FIELDS = 32;

/** Blocks that can be reached by an index: a server must not fill the memory with them. */
const MAX_INDICES = 4096;
const MAX_INDEX_LENGTH = 64;
/** The one that all longer ones count as. */
const LONG_INDEX = "…";

/** A content block of the response. */
interface Block {
  /** Its number, as text: unlike its index, no other block has it. */
  readonly key: string;
  readonly type: string;
  isStopped?: boolean;
  /** The input in the start of a call, until it is passed on when the block is over. */
  startInput?: string;
  /** The block for what came under the index of this one, and cannot be of it. */
  aside?: Block;
}

/**
 * Reads the events of one message.
 *
 * A block holds its index until another one starts there: servers reuse indices, skip some, give
 * the same to every block, stop blocks early or not at all.
 */
class MessagesReader implements DialectReader {
  /** Those of the event that is being read. */
  #deltas: Delta[] = [];
  #messageId: string | undefined;
  #startUsage: [field: string, value: unknown][] = [];
  /** The reason in the start of the message, unless something follows that. */
  #startReason: string | undefined;
  #hasReason = false;
  #blockCount = 0;
  /** The block that started last: it is meant where there is no index. */
  #latest: Block | undefined;
  /** By index: the block that holds it. */
  #blocks = new Map<string, Block>();
  #calls: Block[] = [];
  /** The tools for which no input has come. */
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
        this.#readReason(objectOr(delta)["stop_reason"]);
        this.#readUsage(usage);
        break;
      case "message_stop":
        this.#deltas.push({ type: "end", isCut: false });
        break;
      default:
        // The message without streaming; behind events it only repeats them.
        this.#readContent(payload);
        this.#readUsage(usage);
        this.#readReason(payload["stop_reason"]);
    }
    return this.#deltas;
  }

  end(isDone: boolean): Delta[] {
    this.#deltas = [];
    if (!this.#hasReason) this.#readReason(this.#startReason);
    // Where the body was cut, other input may have been to follow.
    if (isDone || this.#hasReason) for (const call of this.#calls) this.#takeStartInput(call);
    if (this.#isInputLost) for (const block of this.#waiting) this.#damage(block);
    return this.#deltas;
  }

  #startMessage(message: JsonObject): void {
    const known = this.#messageId;
    const id = presentString(message["id"]) ?? known;
    if (this.#blockCount > 0) {
      // Gateways repeat the start. One with another id is that of a second try, with other calls.
      if (known !== undefined && id !== known) this.#deltas.push({ type: "end", isCut: true });
      else this.#readContent(message);
      return;
    }
    this.#messageId = id;
    const { usage } = message;
    this.#startUsage = Object.entries(objectOr(usage)).slice(0, MAX_USAGE_FIELDS);
    this.#readUsage(usage);
    this.#readContent(message);
    this.#startReason = presentString(message["stop_reason"]);
  }

  /**
   * The blocks of a message that is whole; or of its start, where programmatic tool calling has some as
   * well. Behind blocks that came in events, they only repeat those.
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

  /** The n-th call of a message that repeats what events have told is the n-th of theirs. */
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
      // Other tools begin like this as well; those without index are out of reach.
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
   * The block that holds the index gives it up.
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
    // How many calls wait is limited; how many other tools do is not.
    if (!isCall(block)) this.#waiting.delete(block);
  }

  #find(index: string | undefined): Block | undefined {
    return index === undefined ? this.#latest : this.#blocks.get(index);
  }

  /** Opens a block where the message ends. */
  #open(content: JsonObject): Block {
    const type = presentString(content["type"]) ?? "";
    const block = { key: `${this.#blockCount}`, type };
    this.#blockCount += 1;
    if (isCall(block)) this.#openCall(block, content);
    else if (type !== "") this.#openPart(block, content); // The history would not be taken with it.
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

  /** What a block shows may begin in its start. */
  #openPart(block: Block, content: JsonObject): void {
    const { key, type } = block;
    const shown = SHOWN_AS.has(type) && presentString(content[type]);
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
    const text = field === INPUT_FIELD ? argumentText(value) : presentString(value);
    if (!text) return;
    const block = this.#findFor(index, field);
    if (block !== undefined) this.#addContent(block, field, text);
    else if (!this.#isInputLost) {
      this.#isInputLost = true;
      this.#report("lost-fragment", "Input came that is for no known call");
    }
  }

  /** What goes back with the history, and is not shown: signatures, citations, and all else. */
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
   * The block that takes what comes in a field under an index: the one that holds the index, or the one
   * beside that. Else text is text, and thinking is thinking, in a block of its own; and input is for
   * the only tool that waits for some: some servers miscount.
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

  #readReason(value: unknown): void {
    const reason = presentString(value);
    if (reason === undefined) return;
    this.#hasReason = true;
    this.#deltas.push({ type: "finish", choice: 0, reason });
  }

  /** The tokens that went in are told at the start of a message alone, those that came out at its end. */
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

function isCall({ type }: Block): boolean {
  return type === CALL_TYPE;
}

/** Server tools, and whatever no one knows yet, own the input that comes for them. */
function takes(block: Block | undefined, field: string): boolean {
  if (block === undefined) return false;
  return field === INPUT_FIELD ? !TAKES_NO_INPUT.test(block.type) : block.type === field;
}

function isEmptyObject(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}
