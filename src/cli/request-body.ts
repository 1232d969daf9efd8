import type { IncomingMessage } from "node:http";
import { codingsOf, decodeWhole } from "./content-coding.ts";
import { headerOf } from "./headers.ts";
import { HistorySigns } from "./history-signs.ts";

/** The body of a request, as far as it has come. */
export interface RequestBody {
  /** Its bytes, as they came. */
  readonly chunks: readonly Buffer[];
  /** Whether that is all; else the rest is still to be passed on. */
  readonly isWhole: boolean;
  /** What it says, where it may hold a history. */
  readonly text: string | undefined;
}

const NONE: RequestBody = { chunks: [], isWhole: true, text: undefined };
/** What does not have to be waited for: no body of ours, or one that is too long. */
const UNREAD: RequestBody = { ...NONE, isWhole: false };

const utf8 = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Waits for a body that may be a history: JSON, or one without a type.
 *
 * @param maxBytes the most that is held of it, compressed and decoded
 * @throws when the client goes before it is whole
 */
export async function readRequestBody(
  incoming: IncomingMessage,
  maxBytes: number,
): Promise<RequestBody> {
  const { rawHeaders, headers } = incoming;
  if (!("content-length" in headers || "transfer-encoding" in headers)) return NONE;
  const isJson = /^$|\bjson\b/i.test(headers["content-type"] ?? "");
  const codings = codingsOf(headerOf(rawHeaders, "content-encoding"));
  const isTooLong = Number(headers["content-length"] ?? 0) > maxBytes;
  if (!isJson || isTooLong || codings === undefined) return UNREAD;

  const isPlain = codings.length === 0;
  const signs = new HistorySigns();
  const look = isPlain ? (chunk: Buffer): void => signs.look(chunk) : (): void => {};
  const { chunks, isWhole } = await collect(incoming, maxBytes, look);
  if (!isWhole || (isPlain && !signs.areSeen)) return { chunks, isWhole, text: undefined };
  const bytes = Buffer.concat(chunks);
  if (isPlain) return { chunks: [bytes], isWhole, text: textOf(bytes) };
  const decoded = await decodeWhole(bytes, codings, maxBytes);
  signs.look(decoded ?? Buffer.alloc(0));
  return { chunks, isWhole, text: signs.areSeen ? textOf(decoded) : undefined };
}

/** @returns `undefined` for bytes that are no UTF-8: these are not read */
function textOf(bytes: Buffer | undefined): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

/** Holds what comes, up to the limit; then the source is paused. */
function collect(
  source: IncomingMessage,
  maxBytes: number,
  look: (chunk: Buffer) => void,
): Promise<{ chunks: Buffer[]; isWhole: boolean }> {
  const chunks: Buffer[] = [];
  let length = 0;
  return new Promise((resolve, reject) => {
    const onData = (chunk: Buffer): void => {
      chunks.push(chunk);
      length += chunk.length;
      if (length > maxBytes) settle(false);
      else look(chunk);
    };
    const onEnd = (): void => settle(true);
    const settle = (isWhole: boolean): void => {
      if (!isWhole) source.pause();
      source.off("data", onData).off("end", onEnd).off("error", reject);
      resolve({ chunks, isWhole });
    };
    source.on("data", onData).on("end", onEnd).on("error", reject);
  });
}
