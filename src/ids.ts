/** 32 symbols, so that five random bits choose one without bias. No `i`, `l`, `o`, `u`. */
const SYMBOLS = "0123456789abcdefghjkmnpqrstvwxyz";

/** 28 symbols of 5 bits are 140 random bits; with `call_`, 33 characters (OpenAI takes 40). */
const SYMBOL_COUNT = 28;

/** Randomness for so many ids is fetched at once: each fetch costs far more than its bytes. */
const IDS_PER_POOL = 32;

/** The random bytes that have not gone into ids yet. */
let pool = new Uint8Array(0);

/**
 * A fresh id for a call: unique over all calls of all streams.
 *
 * From `getRandomValues`, since `randomUUID` needs a secure context, and inside of the function,
 * since Cloudflare Workers forbid randomness while a module loads.
 */
export function mintId(): string {
  if (pool.length === 0) pool = crypto.getRandomValues(new Uint8Array(SYMBOL_COUNT * IDS_PER_POOL));
  let id = "call_";
  for (const byte of pool.subarray(0, SYMBOL_COUNT)) id += SYMBOLS.charAt(byte & 31);
  pool = pool.subarray(SYMBOL_COUNT);
  return id;
}
