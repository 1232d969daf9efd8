import { jsonText, readJson } from "../json-value.ts";
import { isObject, presentString } from "../provider-error.ts";
import { TextBuffer } from "../text-buffer.ts";
import type {
  DiagnosticCode,
  JsonObject,
  MessagesAssistantMessage,
  MessagesBlock,
  ToolCall,
} from "../types.ts";
import type {
  CallDelta,
  Delta,
  DialectReader,
  MessageDraft,
  PartDelta,
  WireDialect,
} from "./dialect.ts";
import type { HistoryDialect, Reference } from "./history-dialect.ts";
import { CALL, CALL_PLACE, PART, type Parts, writeParts } from "./parts.ts";
import { argumentText, idOf, indexKey, kindOf, nameOf, objectOr, unknownFields } from "./fields.ts";

/** The kinds of events that no other dialect has: unlike `ping` and `error`. */
const KINDS: ReadonlySet<string | undefined> = new Set([
  "message_start",
  "content_block_start",
  "content_block_delta",
  "content_block_stop",
  "message_delta",
  "message_stop",
]);

/** Where the model did not stop of its own accord; the last two are the words of other dialects. */
const CUT_REASONS: ReadonlySet<string> = new Set([
  "max_tokens",
  "model_context_window_exceeded",
  "refusal",
  "length",
  "content_filter",
]);

const CALL_TYPE = "tool_use";

/** The fields of deltas that are named otherwise in the block. */
const INPUT_FIELD = "partial_json";
const CITATION_FIELD = "citation";

const PLACEHOLDER = "{}";

/** Anthropic Messages, as it is sent by Anthropic and by those who say they are compatible. */
export const messages: WireDialect = {
  name: "messages",
  // Behind the input of one tool, servers have sent those of others.
  hasFurtherCalls: false,
  hasKinds: true,
  endsWithDone: true,

  matches: (payload, name) => KINDS.has(kindOf(payload, name)) || isWholeMessage(payload),

  openReader: () => new MessagesReader(),

  isNormalReason: (reason) => !CUT_REASONS.has(reason.toLowerCase().replaceAll("-", "_")),

  draftMessage: () => new MessagesDraft(),
};

/** Its histories. */
export const messagesHistory: HistoryDialect = {
  name: "messages",
  isItemized: false,

  endsTurn: () => true,

  writeResult(call, content) {
    const result = { type: "tool_result", tool_use_id: call.id, content } as const;
    return call.status === "complete" ? result : { ...result, is_error: true };
  },

  readReferences: (message) =>
    contentOf(message).flatMap((block): Reference[] => {
      const field = idFieldOf(block);
      if (field === undefined) return [];
      const holder = objectOr(block);
      const id = idOf(holder[field]);
      return field === "id"
        ? [{ type: "call", id, name: presentString(holder["name"]), holder, field }]
        : [{ type: "result", id, name: undefined, holder, field }];
    }),

  writeIds(message, ids) {
    const content: unknown[] = [];
    let count = 0;
    for (const block of contentOf(message)) {
      const field = idFieldOf(block);
      content.push(field === undefined ? block : { ...objectOr(block), [field]: ids[count] });
      if (field !== undefined) count += 1;
    }
    return { ...message, content };
  },
};

/** Where the id stands in a block that is a call or a result; those of server tools stay. */
function idFieldOf(block: unknown): "id" | "tool_use_id" | undefined {
  if (!isObject(block)) return undefined;
  if (block["type"] === "tool_use") return "id";
  return block["type"] === "tool_result" ? "tool_use_id" : undefined;
}

function isWholeMessage(payload: JsonObject): boolean {
  return payload["type"] === "message" && Array.isArray(payload["content"]);
}

function contentOf({ content }: JsonObject): readonly unknown[] {
  return Array.isArray(content) ? content : [];
}

/** What a message holds beside tools: blocks of these types take no input, nor do results. */
const PLAIN_TYPES: ReadonlySet<string> = new Set(["text", "thinking", "redacted_thinking", ""]);

const KNOWN_CALL_FIELDS: ReadonlySet<string> = new Set(["type", "id", "name", "input"]);

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
  isStopped: boolean;
  /** Of a call, the input in its start: it counts only where no other input comes. */
  startInput: string;
  /** The first characters of the input that came, white space aside, while that may be a `{}`. */
  inputHead: string;
  /** The block for what came under the index of this one, and cannot be of it. */
  aside: Block | undefined;
}

/**
 * Reads the events of one message.
 *
 * A block holds its index until another one starts there: servers reuse indices, skip some, give
 * the same to every block, stop blocks early or not at all.
 */
class MessagesReader implements DialectReader {
  readonly isStateless = false;

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
  /** The keys of the calls, in order. */
  #callKeys: string[] = [];
  /** The tools for which no input has come. */
  #waiting = new Set<Block>();
  /** The calls of which the input may be that of their start. */
  #prefilled = new Set<Block>();
  /** Whether input came of which no one knows for which call it was. */
  #isInputLost = false;

  read(payload: JsonObject, name: string | undefined): Delta[] {
    this.#deltas = [];
    const index = indexOf(payload);
    switch (kindOf(payload, name)) {
      case "message_start":
        this.#startMessage(objectOr(payload["message"]));
        break;
      case "content_block_start":
        this.#startBlock(index, objectOr(payload["content_block"]));
        break;
      case "content_block_delta":
        this.#readDelta(index, objectOr(payload["delta"]));
        break;
      case "content_block_stop":
        this.#stop(this.#find(index));
        break;
      case "message_delta":
        this.#readReason(objectOr(payload["delta"])["stop_reason"]);
        this.#readUsage(payload["usage"]);
        break;
      case "message_stop":
        this.#deltas.push({ type: "end", isCut: false });
        break;
      default:
        this.#readWholeMessage(payload);
    }
    return this.#deltas;
  }

  end(isDone: boolean): Delta[] {
    this.#deltas = [];
    if (!this.#hasReason) this.#readReason(this.#startReason);
    // Where the body was cut, other input may have been to follow.
    if (isDone || this.#hasReason) for (const block of this.#prefilled) this.#takeStartInput(block);
    if (this.#isInputLost) for (const block of this.#waiting) this.#damage(block);
    return this.#deltas;
  }

  #startMessage(message: JsonObject): void {
    const id = presentString(message["id"]);
    if (this.#blockCount > 0) {
      // Gateways repeat the start. One with another id is that of a second try, with other calls.
      const isOther = id !== undefined && this.#messageId !== undefined && id !== this.#messageId;
      if (isOther) this.#deltas.push({ type: "end", isCut: true });
      else this.#refer(message);
      return;
    }
    this.#messageId = id ?? this.#messageId;
    const usage = Object.entries(objectOr(message["usage"]));
    this.#startUsage = usage.slice(0, MAX_USAGE_FIELDS);
    this.#readUsage(message["usage"]);
    this.#readContent(message);
    this.#startReason = presentString(message["stop_reason"]);
  }

  /** The message without streaming; behind events it only repeats them. */
  #readWholeMessage(message: JsonObject): void {
    if (this.#blockCount === 0) this.#readContent(message);
    else this.#refer(message);
    this.#readUsage(message["usage"]);
    this.#readReason(message["stop_reason"]);
  }

  /** Programmatic tool calling has whole blocks in the start of a message as well. */
  #readContent(message: JsonObject): void {
    this.#deltas.push({ type: "choice", choice: 0 });
    for (const content of contentOf(message)) {
      this.#startBlock(undefined, objectOr(content));
      this.#stop(this.#latest);
    }
  }

  /** A message that repeats what events have told: its n-th call is the n-th of theirs. */
  #refer(message: JsonObject): void {
    const calls = contentOf(message)
      .map(objectOr)
      .filter(({ type }) => type === CALL_TYPE);
    for (const [position, holder] of calls.entries()) {
      const index = this.#callKeys[position];
      if (index === undefined) return;
      const places = [{ holder, field: "id", mayInsert: false, text: undefined }];
      this.#deltas.push({ type: "reference", index, places });
    }
  }

  #startBlock(index: string | undefined, content: JsonObject): void {
    this.#startReason = undefined;
    const rival = index === undefined ? undefined : this.#release(index);
    const block = this.#open(presentString(content["type"]) ?? "", content);
    this.#latest = block;
    if (index !== undefined) this.#hold(index, block);
    const isOtherTool = index !== undefined && isEmptyObject(content["input"]);
    if (isCall(block) || isOtherTool) this.#waiting.add(block);
    if (rival !== undefined && (isCall(rival) || isCall(block))) {
      this.#report("repeated-index", `No one knows whose the input at index ${index} is`);
      this.#damage(rival);
      this.#damage(block);
    }
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
  #open(type: string, content: JsonObject): Block {
    const key = `${this.#blockCount}`;
    const block = { key, type, isStopped: false, startInput: "", inputHead: "", aside: undefined };
    this.#blockCount += 1;
    if (isCall(block)) this.#openCall(block, content);
    else this.#openPart(block, content);
    return block;
  }

  #openCall(block: Block, content: JsonObject): void {
    const { id, name, input } = content;
    this.#callKeys.push(block.key);
    this.#deltas.push({ type: "field", ...PART, field: CALL_PLACE, value: undefined });
    this.#pushCall(block, {
      id: presentString(id),
      name: presentString(name)?.trim() || undefined,
      extra: unknownFields(content, KNOWN_CALL_FIELDS),
      places: [{ holder: content, field: "id", mayInsert: true, text: undefined }],
    });
    if (!isObject(input) && typeof input !== "string") return;
    block.startInput = isEmptyObject(input) ? "" : argumentText(input);
    if (block.startInput !== "") this.#prefilled.add(block);
  }

  /** What a block shows may begin in its start. */
  #openPart(block: Block, content: JsonObject): void {
    const { key: field, type } = block;
    if (type === "") return; // The history would not be taken with it.
    const shown = isShown(type) ? presentString(content[type]) : undefined;
    const value = shown === undefined ? content : { ...content, [type]: "" };
    this.#deltas.push({ type: "field", ...PART, field, value });
    if (shown !== undefined) this.#show(block, shown);
  }

  #stop(block: Block | undefined): void {
    if (block === undefined) return;
    block.isStopped = true;
    this.#takeStartInput(block);
  }

  #readDelta(index: string | undefined, delta: JsonObject): void {
    switch (delta["type"]) {
      case "input_json_delta":
        this.#readInput(index, argumentText(delta["partial_json"]));
        break;
      case "text_delta":
        this.#readShown(index, "text", delta["text"]);
        break;
      case "thinking_delta":
        this.#readShown(index, "thinking", delta["thinking"]);
        break;
      default:
        this.#readFields(this.#find(index), delta);
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
      this.#deltas.push({ type: "field", ...PART, field: `${block.key}.${field}`, value });
    }
  }

  /** Text is text, and thinking is thinking, under whichever index it comes. */
  #readShown(index: string | undefined, type: "text" | "thinking", value: unknown): void {
    const text = presentString(value);
    if (text === undefined) return;
    const holder = this.#find(index);
    let block = holder?.type === type ? holder : holder?.aside;
    if (block?.type !== type) {
      block = this.#open(type, { type, [type]: "" });
      this.#putAside(index, holder, block);
    }
    this.#show(block, text);
  }

  /** Makes a block the one for what comes under an index, beside the block that holds that, if any. */
  #putAside(index: string | undefined, holder: Block | undefined, block: Block): void {
    if (holder !== undefined) holder.aside = block;
    else if (index === undefined) this.#latest = block;
    else this.#hold(index, block);
  }

  #show({ key, type }: Block, text: string): void {
    const shownType = type === "thinking" ? "reasoning" : "text";
    this.#deltas.push({ type: shownType, ...PART, field: `${key}.${type}`, text });
  }

  #readInput(index: string | undefined, fragment: string): void {
    if (fragment === "") return;
    const block = this.#findTool(index);
    if (block === undefined) {
      if (!this.#isInputLost) this.#report("lost-fragment", "Input came that is for no known call");
      this.#isInputLost = true;
      return;
    }
    this.#waiting.delete(block);
    if (!isCall(block)) {
      const field = `${block.key}.${INPUT_FIELD}`;
      this.#deltas.push({ type: "field", ...PART, field, value: fragment });
      return;
    }
    if (this.#prefilled.has(block)) {
      // A placeholder is no input yet.
      const head = block.inputHead + fragment.replaceAll(/\s/g, "");
      block.inputHead = head.slice(0, PLACEHOLDER.length + 1);
      if (!PLACEHOLDER.startsWith(block.inputHead)) this.#prefilled.delete(block);
    }
    this.#pushCall(block, { fragment });
  }

  /** The tool that holds the index; else the only one that waits: some servers miscount. */
  #findTool(index: string | undefined): Block | undefined {
    const holder = this.#find(index);
    if (holder !== undefined && takesInput(holder)) return holder;
    if (holder?.aside !== undefined && takesInput(holder.aside)) return holder.aside;
    const [block, other] = this.#waiting;
    if (block === undefined || other !== undefined) return undefined;
    this.#putAside(index, holder, block);
    return block;
  }

  #takeStartInput(block: Block): void {
    if (!this.#prefilled.delete(block)) return;
    this.#waiting.delete(block);
    this.#pushCall(block, { fragment: block.startInput, isSnapshot: true });
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

  #pushCall(block: Block, facts: Partial<CallDelta>): void {
    this.#deltas.push({ ...CALL, index: block.key, ...facts });
  }

  #report(code: DiagnosticCode, message: string): void {
    this.#deltas.push({ type: "diagnostic", code, severity: "error", message });
  }
}

function indexOf(payload: JsonObject): string | undefined {
  const index = indexKey(payload["index"]);
  return index !== undefined && index.length > MAX_INDEX_LENGTH ? LONG_INDEX : index;
}

function isCall({ type }: Block): boolean {
  return type === CALL_TYPE;
}

/** Server tools, and whatever no one knows yet, own the input that comes for them. */
function takesInput({ type }: Block): boolean {
  return !PLAIN_TYPES.has(type) && !type.endsWith("_result");
}

function isShown(type: string): boolean {
  return type === "text" || type === "thinking";
}

function isEmptyObject(value: unknown): boolean {
  return isObject(value) && Object.keys(value).length === 0;
}

/** The blocks of the message, in the order of their starts, and the places of calls among them. */
class MessagesDraft implements MessageDraft {
  #parts: Parts<BlockDraft> = [];
  #blocks = new Map<string, BlockDraft>();

  add(delta: PartDelta): number {
    const { field } = delta;
    const value = delta.type === "field" ? delta.value : delta.text;
    if (field === CALL_PLACE) {
      this.#parts.push(CALL_PLACE);
      return 0; // The calls are counted elsewhere.
    }
    const dot = field.indexOf(".");
    // Calls and what has no type are not among the blocks; of a message that was given up, none is.
    if (dot !== -1) {
      return this.#blocks.get(field.slice(0, dot))?.add(field.slice(dot + 1), value) ?? 0;
    }
    const block = new BlockDraft(objectOr(value));
    this.#blocks.set(field, block);
    this.#parts.push(block);
    return jsonText(value).length;
  }

  write(calls: readonly ToolCall[]): MessagesAssistantMessage {
    const content = writeParts(this.#parts, calls, (block) => block.write(), writeCall);
    return { role: "assistant", content };
  }
}

class BlockDraft {
  /** What stood in its start. */
  #fields: JsonObject;
  /** What deltas brought, by their fields: text in pieces, a list of citations, or a value. */
  #changes = new Map<string, unknown>();

  constructor(fields: JsonObject) {
    this.#fields = fields;
  }

  /** @returns how many characters longer the block is */
  add(field: string, value: unknown): number {
    const change = this.#changes.get(field);
    if (typeof value === "string" && change instanceof TextBuffer) {
      change.append(value);
      return value.length;
    }
    if (field === CITATION_FIELD && Array.isArray(change)) change.push(value);
    else this.#changes.set(field, this.#firstChange(field, value));
    return field.length + jsonText(value).length;
  }

  #firstChange(field: string, value: unknown): unknown {
    if (field === CITATION_FIELD) return [value];
    if (typeof value !== "string") return value;
    const text = new TextBuffer();
    const start = this.#fields[field];
    if (typeof start === "string") text.append(start);
    text.append(value);
    return text;
  }

  write(): MessagesBlock {
    const fields = new Map(Object.entries(this.#fields));
    for (const [field, change] of this.#changes) {
      const value = change instanceof TextBuffer ? change.toString() : change;
      if (field === CITATION_FIELD) {
        const { citations } = this.#fields;
        fields.set("citations", [citations ?? [], value].flat());
      } else if (field !== INPUT_FIELD) fields.set(field, value);
      // Without the input that came, a server tool that is to go on would run with none.
      else fields.set("input", readJson(argumentText(value)) ?? this.#fields["input"]);
    }
    // The reader opens no block without a type.
    return Object.fromEntries(fields) as MessagesBlock;
  }
}

/**
 * Servers reject a history with input that is no JSON, so an incomplete call stands in it without
 * any.
 */
function writeCall(call: ToolCall): MessagesBlock {
  const input = call.status === "complete" ? readJson(call.arguments) : undefined;
  return { type: "tool_use", id: call.id, name: nameOf(call), input: input ?? {}, ...call.extra };
}
