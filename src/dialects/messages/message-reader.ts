import { isObject, type JsonObject, presentString } from "../../json/object.ts";
import type { Delta } from "../delta.ts";
import type { MessageDialect } from "../dialect.ts";
import { isReasonIn, kindOf, objectOr, words } from "../fields.ts";
import { CALL_PLACE } from "../parts.ts";
import { type Block, isCall, messages, MessagesReader, textOf } from "./reader.ts";

/** With these, something stopped the model. The last two are words of other dialects. */
const CUT_REASONS = /* @__PURE__ */ words(
  "max_tokens model_context_window_exceeded refusal length content_filter",
);

/** The types of blocks that are shown. Their text is in the field named like the type. */
const SHOWN_AS = new Map<string, "text" | "reasoning">([
  ["text", "text"],
  ["thinking", "reasoning"],
]);

/** What the server says of the message itself: for the next request (`container`), and for logs. */
const RESPONSE_FIELDS = /* @__PURE__ */ words(
  "id model container service_tier stop_sequence stop_details context_management",
);

/** More fields than any usage has: they are copied into each report that follows. */
const MAX_USAGE_FIELDS = 32;

/** The message of Anthropic Messages. */
export const messagesMessage: MessageDialect = {
  ...messages,
  hasKinds: true,
  endsWithDone: true,
  openReader: () => new MessagesMessageReader(),
  isNormalReason: (reason) => !isReasonIn(CUT_REASONS, reason),
};

/** Reads all that the events of one message say. */
class MessagesMessageReader extends MessagesReader {
  #startUsage: [field: string, value: unknown][] = [];
  /** The reason in the start of the message. It is dropped when a block follows. */
  #startReason: string | undefined;
  #hasReason = false;
  /** Whether input came that fits no known call. */
  #isInputLost = false;

  override read(payload: JsonObject, name: string | undefined): Delta[] {
    super.read(payload, name);
    const kind = kindOf(payload, name);
    if (kind === "message_stop") this.deltas.push({ type: "end", isCut: false });
    else if (kind === "message_delta") {
      const delta = objectOr(payload["delta"]);
      this.#readResponse(payload);
      this.#readResponse(delta);
      this.#readReason(delta["stop_reason"]);
      this.#readUsage(payload["usage"]);
    }
    return this.deltas;
  }

  end(isDone: boolean): Delta[] {
    this.deltas = [];
    if (!this.#hasReason) this.#readReason(this.#startReason);
    // If the body was cut, other input might have followed.
    if (isDone || this.#hasReason) for (const call of this.calls) this.takeStartInput(call);
    if (this.#isInputLost) for (const block of this.waiting) this.damage(block);
    return this.deltas;
  }

  protected override openMessage(message: JsonObject): void {
    this.#readResponse(message);
    const { usage } = message;
    this.#startUsage = Object.entries(objectOr(usage)).slice(0, MAX_USAGE_FIELDS);
    this.#readUsage(usage);
    super.openMessage(message);
    this.#startReason = presentString(message["stop_reason"]);
  }

  protected override readWhole(message: JsonObject): void {
    this.#readResponse(message);
    super.readWhole(message);
    this.#readUsage(message["usage"]);
    this.#readReason(message["stop_reason"]);
  }

  protected override startBlock(index: string | undefined, content: JsonObject): Block {
    this.#startReason = undefined;
    return super.startBlock(index, content);
  }

  /** The start of a block may hold the beginning of its text. */
  protected override openPart(block: Block, content: JsonObject): void {
    const { key, type } = block;
    if (isCall(block)) this.#pushPart(CALL_PLACE, undefined);
    else if (type !== "") {
      // Servers reject a block without a type.
      const shown = SHOWN_AS.has(type) && textOf(content[type]);
      this.#pushPart(key, shown ? { ...content, [type]: "" } : content);
      if (shown) this.addText(block, type, shown);
    }
  }

  protected override addText({ key: field }: Block, path: string, value: string): void {
    this.deltas.push({ type: SHOWN_AS.get(path) ?? "field", choice: 0, field, path, value });
  }

  /** Reads fields that go back with the history unseen: signatures, citations, and all else. */
  protected override readFields(block: Block | undefined, delta: JsonObject): void {
    if (block === undefined) return;
    // Nothing but thinking is signed.
    if (delta["type"] === "signature_delta" && block.type !== "thinking") return;
    for (const field in delta) {
      const value = delta[field];
      if (field === "type" || value === null || value === "") continue;
      this.#pushPart(block.key, value, field);
    }
  }

  protected override loseInput(): void {
    if (this.#isInputLost) return;
    this.#isInputLost = true;
    const message = "Input came that is for no known call";
    this.deltas.push({ type: "diagnostic", code: "lost-fragment", message });
  }

  #readResponse(holder: JsonObject): void {
    const fields = Object.entries(holder).filter(([field]) => RESPONSE_FIELDS.has(field));
    this.deltas.push({ type: "response", fields: Object.fromEntries(fields) });
  }

  #readReason(value: unknown): void {
    const reason = presentString(value);
    if (reason === undefined) return;
    this.#hasReason = true;
    this.deltas.push({ type: "finish", choice: 0, reason });
  }

  /** Only the start of a message tells the input tokens, and only its end the output tokens. */
  #readUsage(usage: unknown): void {
    if (!isObject(usage)) return;
    const fields = Object.entries(usage).filter(([, value]) => value !== null);
    const merged = Object.fromEntries([...this.#startUsage, ...fields]);
    this.deltas.push({ type: "usage", usage: merged });
  }

  #pushPart(field: string, value: unknown, path?: string): void {
    this.deltas.push({ type: "field", choice: 0, field, path, value });
  }
}
