/** 32 symbols, so that five random bits choose one. No `i`, `l`, `o`, `u`. */
const SYMBOLS = "0123456789abcdefghjkmnpqrstvwxyz";

/** 28 symbols of 5 bits are 140 random bits; with `call_`, 33 characters (OpenAI takes 40). */
const SYMBOL_COUNT = 28;

/** All letters and digits: of nine symbols, each has to tell as much as it can. */
const SHORT_SYMBOLS = `0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz`;

/** Mistral's API, and the templates of its models, take ids of no other length. */
export const SHORT_LENGTH = 9;

/** So many random bytes are fetched at once: each fetch costs far more than its bytes. */
const POOL_SIZE = SYMBOL_COUNT * 32;

/** The random bytes that have not gone into ids yet. */
let pool = new Uint8Array(0);
let position = 0;

/**
 * A fresh id for a call: unique over all calls of all streams.
 *
 * From `getRandomValues`, since `randomUUID` needs a secure context, and inside of the function,
 * since Cloudflare Workers forbid randomness while a module loads.
 */
export function mintId(): string {
  return `call_${randomText(SYMBOLS, 31, SYMBOL_COUNT)}`;
}

/** A fresh id of nine letters and digits: 53 random bits. */
export function mintShortId(): string {
  return randomText(SHORT_SYMBOLS, 63, SHORT_LENGTH);
}

/** @param mask cuts a random byte down to a number that hardly exceeds that of the symbols */
function randomText(symbols: string, mask: number, length: number): string {
  let text = "";
  while (text.length < length) {
    if (position === pool.length) {
      pool = crypto.getRandomValues(new Uint8Array(POOL_SIZE));
      position = 0;
    }
    // Beyond the symbols there is no character: the next byte decides, so that none is preferred.
    text += symbols.charAt((pool[position] as number) & mask);
    position += 1;
  }
  return text;
}
