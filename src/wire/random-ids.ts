import { SHORT_LENGTH } from "../ids.ts";

/** OpenAI takes no longer ids; vLLM's own of 46 characters break there. */
const MAX_LENGTH = 40;

/** An id this long is no mere name: a gateway packs into it what it wants to read again. */
const MIN_STATE_LENGTH = 129;

/** LiteLLM puts Gemini's signature of a thought behind it (litellm_core_utils/prompt_templates). */
const STATE_MARK = "__thought__";

/** A version 4 or 7 UUID in hex digits, which says so at its 13th digit, and its variant at the 17th. */
const UUID = String.raw`[\da-f]{8}-?[\da-f]{4}-?[47][\da-f]{3}-?[89ab][\da-f]{3}-?[\da-f]{12}`;

/**
 * The ids that are random by their making. Other hex digits may be a hash of name and arguments, which
 * repeats. What is in doubt is not here: to rename it costs nothing.
 */
const RANDOM_FORMS: readonly RegExp[] = [
  // OpenAI, Chat Completions and Responses (platform.openai.com/docs/guides/function-calling). 24 hex
  // digits alone are someone else's.
  /^call_(?![\da-f]{24}$)[\dA-Za-z]{24}$/,
  // Anthropic, and its models on Bedrock and Vertex (docs.anthropic.com, tool use).
  /^toolu_(?:bdrk_|vrtx_)?01[\dA-Za-z]{22}$/,
  // Bedrock's Converse API (docs.aws.amazon.com/bedrock, tool use).
  /^tooluse_[\w-]{22}$/,
  // vLLM (random_uuid), SGLang, TGI and most gateways: a UUID, alone or behind a word.
  new RegExp(String.raw`^(?:[A-Za-z]+[_-])*${UUID}$`, "i"),
  // The first 24 digits of one: vLLM's Rust front end, SGLang.
  /^call_[\da-f]{12}[47][\da-f]{3}[89ab][\da-f]{7}$/,
  // Mistral (docs.mistral.ai, function calling).
  new RegExp(String.raw`^(?!\d+$)[\dA-Za-z]{${SHORT_LENGTH}}$`),
  // Our own: another of us stands before this one.
  /^call_(?![\da-f]+$)[\da-hjkmnp-tv-z]{28}$/,
];

const SHORT_FORM = new RegExp(`^[\\dA-Za-z]{${SHORT_LENGTH}}$`);

/** Whether no other call has such an id, unless a server repeats what it has said. */
export function isRandomId(id: string): boolean {
  return id.length <= MAX_LENGTH && RANDOM_FORMS.some((form) => form.test(id));
}

/** Whether a gateway reads more from the id than which call it is: only the same id gives that back. */
export function isStateId(id: string): boolean {
  return id.length >= MIN_STATE_LENGTH || id.includes(STATE_MARK);
}

/** Whether the server takes ids of nine letters and digits alone. */
export function isShortId(id: string): boolean {
  return SHORT_FORM.test(id);
}
