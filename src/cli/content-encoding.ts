import { pipeline, type Readable, type Transform } from "node:stream";
import * as zlib from "node:zlib";

// Node 20 has no zstd.
const { createZstdDecompress } = zlib as { createZstdDecompress?: () => Transform };

const DECODERS: Readonly<Record<string, (() => Transform) | undefined>> = {
  gzip: zlib.createGunzip,
  "x-gzip": zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
  zstd: createZstdDecompress,
};

/**
 * The body without its content-encoding, for servers that compress unasked. The headers lose the fields
 * that no longer hold.
 *
 * @throws TypeError when Node cannot decode it
 */
export function decode(body: Readable, headers: Headers): Readable {
  const encodings = (headers.get("content-encoding") ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
  if (encodings.length === 0) return body;
  headers.delete("content-encoding");
  headers.delete("content-length");
  // The last encoding in the list was applied last.
  return encodings.reduceRight((encoded, name) => {
    const decoder = DECODERS[name]?.();
    if (decoder === undefined) {
      body.destroy();
      const message = `Cannot decode response: its content-encoding is ${name}`;
      throw Object.assign(new TypeError(message), { code: "UNKNOWN_CONTENT_ENCODING" });
    }
    // The decoder raises the same errors.
    return pipeline(encoded, decoder, ignore);
  }, body);
}

function ignore(): void {}
