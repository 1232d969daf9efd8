import { pipeline, type Readable, type Transform } from "node:stream";
import * as zlib from "node:zlib";

// Node 20 has none.
const { createZstdDecompress } = zlib as { createZstdDecompress?: () => Transform };

const DECODERS: Readonly<Record<string, (() => Transform) | undefined>> = {
  gzip: zlib.createGunzip,
  "x-gzip": zlib.createGunzip,
  deflate: zlib.createInflate,
  br: zlib.createBrotliDecompress,
  zstd: createZstdDecompress,
};

/**
 * The body behind its content-encoding, for servers that compress without being asked to. The headers
 * lose what is no longer so.
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
  // The last one was put on last.
  return encodings.reduceRight((encoded, name) => {
    const decoder = DECODERS[name]?.();
    if (decoder === undefined) {
      body.destroy();
      const message = `Cannot decode response: its content-encoding is ${name}`;
      throw Object.assign(new TypeError(message), { code: "UNKNOWN_CONTENT_ENCODING" });
    }
    // Its errors are those of what it leads to.
    return pipeline(encoded, decoder, ignore);
  }, body);
}

function ignore(): void {}
