import { joined } from "../../src/events/bytes.ts";
import { IdRewriter } from "../../src/wire/id-rewriter.ts";
import { resolveWireOptions, type UniqueToolCallIdOptions } from "../../src/wire/wire-options.ts";

const encoder = new TextEncoder();
const latin1 = new TextDecoder("latin1");
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** What comes out of the rewriter for each chunk, that of the end last. Its ids are fresh-1, fresh-2 … */
export function rewriteChunks(
  chunks: readonly Uint8Array[],
  options: UniqueToolCallIdOptions = {},
): Uint8Array[] {
  let count = 0;
  const generateId = (): string => `fresh-${(count += 1)}`;
  const rewriter = new IdRewriter(resolveWireOptions({ generateId, ...options }));
  return [...chunks.map((chunk) => rewriter.push(chunk)), rewriter.end()];
}

export function rewrite(
  chunks: readonly Uint8Array[],
  options: UniqueToolCallIdOptions = {},
): Uint8Array {
  return joined(rewriteChunks(chunks, options));
}

export function rewriteText(text: string, options: UniqueToolCallIdOptions = {}): string {
  return utf8.decode(rewrite([encoder.encode(text)], options));
}

/** The bytes as text, one character for each. */
export function bytesAsText(bytes: Uint8Array): string {
  return latin1.decode(bytes);
}

/** A field that may hold an id, with the comma behind it. */
const ID_FIELD = /"(?:call_|item_)?id"\s*:\s*(?:"(?:[^"\\]|\\.)*"|null|-?[\d.]+)\s*,?/g;

/** The bytes as text without any field of that kind. */
export function withoutIds(bytes: Uint8Array): string {
  return bytesAsText(bytes).replaceAll(ID_FIELD, "");
}
