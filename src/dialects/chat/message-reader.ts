import { isObject, type JsonObject, presentString } from "../../json/object.ts";
import type { Delta } from "../delta.ts";
import type { MessageDialect } from "../dialect.ts";
import { isReasonIn, objectOr, textIn, words } from "../fields.ts";
import { readProviderError } from "../provider-error.ts";
import { chat, ChatReader } from "./reader.ts";

/** Where the reasoning stands: DeepSeek and Moonshot, vLLM and OpenRouter, Copilot, and others. */
const REASONING_FIELDS = /* @__PURE__ */ words(
  "reasoning_content reasoning reasoning_text thinking",
);

/** The types of a part of content that is reasoning. */
const REASONING_TYPES = /* @__PURE__ */ words("thinking reasoning");

/** Who has written a message that is not the model's: only the calls in it are. */
const OTHER_ROLES = /* @__PURE__ */ words("tool user system developer function");

/** What a chunk says of the response itself. */
const RESPONSE_FIELDS = ["id", "model", "created", "system_fingerprint", "service_tier"];

/** The reasons of a normal end, in the words of OpenAI, Anthropic, Gemini and TGI. */
const NORMAL_REASONS = /* @__PURE__ */ words(
  "stop tool_calls tool_call function_call end_turn tool_use stop_sequence completed eos_token",
);

/** The other fields of a delta that are read below. */
const KNOWN_DELTA_FIELDS = /* @__PURE__ */ words("role content tool_calls function_call");

/** The message of Chat Completions. */
export const chatMessage: MessageDialect = {
  ...chat,
  hasKinds: false,
  endsWithDone: true,
  openReader: () => new ChatMessageReader(),
  isNormalReason: (reason) => isReasonIn(NORMAL_REASONS, reason),
};

/** Reads all that a chunk says. */
class ChatMessageReader extends ChatReader {
  protected override readonly hasPlaces: boolean = false;
  /** What has been said of the response, by the position of its field: only what changes is new. */
  #said: unknown[] = [];

  override read(payload: JsonObject): Delta[] {
    super.read(payload);
    this.#readOutcome(payload);
    // Groq reports an error that comes too late for a status here.
    if (payload["x_groq"] !== undefined) this.#readError(objectOr(payload["x_groq"]));
    let fields: Record<string, unknown> | undefined;
    for (let position = 0; position < RESPONSE_FIELDS.length; position += 1) {
      const field = RESPONSE_FIELDS[position] as string;
      const value = payload[field];
      if (this.#said[position] === value) continue;
      if (typeof value !== "number" && presentString(value) === undefined) continue;
      this.#said[position] = value;
      (fields ??= {})[field] = value;
    }
    if (fields !== undefined) this.deltas.push({ type: "response", fields });
    return this.deltas;
  }

  protected override readChoice(choice: JsonObject, number: number): void {
    const count = this.deltas.length;
    super.readChoice(choice, number);
    // After the delta: the event with the finish reason may bring whole calls.
    const reason = presentString(choice["finish_reason"]);
    if (reason !== undefined) this.deltas.push({ type: "finish", choice: number, reason });
    else if (this.deltas.length === count) this.deltas.push({ type: "choice", choice: number });
    // Moonshot reports usage here.
    this.#readOutcome(choice);
  }

  protected override readMessage(
    message: JsonObject,
    choice: number,
    isFromMessage: boolean,
  ): void {
    if (!OTHER_ROLES.has(presentString(message["role"]) ?? "")) {
      this.#readFields(message, choice, isFromMessage);
    }
    super.readMessage(message, choice, isFromMessage);
  }

  #readOutcome(holder: JsonObject): void {
    const { usage } = holder;
    if (isObject(usage)) this.deltas.push({ type: "usage", usage });
    this.#readError(holder);
  }

  #readError(holder: JsonObject): void {
    const error = readProviderError(holder);
    if (error !== undefined) this.deltas.push({ type: "error", error });
  }

  /** Reads the fields of a message, or of a delta of one, its calls aside. */
  #readFields(message: JsonObject, choice: number, isFromMessage: boolean): void {
    const add = (field: string, value: unknown): void => {
      // Some servers send every field, also an empty one.
      const isEmpty =
        value === null || value === "" || (Array.isArray(value) && value.length === 0);
      if (!isEmpty) this.deltas.push({ type: "field", choice, field, value, isFromMessage });
    };
    const show = (
      type: "text" | "reasoning",
      field: string,
      value: string,
      isText: boolean,
    ): void => {
      if (value === "") return;
      const isOnlyShown = isText ? undefined : true;
      this.deltas.push({ type, choice, field, value, isFromMessage, isOnlyShown });
    };
    let isShown = false;
    for (const field of REASONING_FIELDS) {
      const value = message[field];
      if (value === undefined) continue;
      const isText = typeof value === "string" || typeof value === "number";
      const text = textIn(value);
      // Several fields in one delta say the same; the message keeps each.
      if (!isText || isShown) add(field, isText ? text : value);
      if (!isShown) show("reasoning", field, text, isText);
      isShown ||= text !== "";
    }
    const content = contentOf(message["content"]);
    if (typeof content === "string") show("text", "content", content, true);
    else {
      add("content", content);
      for (const part of content) {
        const { type, text = part } = objectOr(part);
        const isReasoning = REASONING_TYPES.has(presentString(type) ?? "");
        if (!isReasoning) show("text", "content", isObject(text) ? "" : textIn(text), false);
        else if (!isShown) show("reasoning", "content", textIn(part), false);
      }
    }
    for (const field in message) {
      if (!KNOWN_DELTA_FIELDS.has(field) && !REASONING_FIELDS.has(field))
        add(field, message[field]);
    }
  }
}

/** Content is a text or (Mistral) a list of parts. A list of one plain text is no more than the text. */
function contentOf(content: unknown): string | readonly unknown[] {
  // Some servers send a token that is a number or `true` as what it is in JSON.
  if (typeof content === "number" || typeof content === "boolean") return `${content}`;
  if (typeof content !== "object" || content === null) return presentString(content) ?? "";
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  const { type, text, ...rest } = objectOr(parts[0]);
  const isText = parts.length === 1 && type === "text" && typeof text === "string";
  return isText && Object.keys(rest).length === 0 ? text : parts;
}
