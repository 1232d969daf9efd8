import { Duplex, type Readable } from "node:stream";
import { promisify } from "node:util";
import * as zlib from "node:zlib";
import { elementsOf } from "./headers.ts";

type Decode = (bytes: Uint8Array, limits: zlib.ZlibOptions) => Promise<Buffer>;

/** How one coding is undone: in a stream, and at once. */
export interface Coding {
  readonly stream: () => Duplex;
  readonly whole: Decode;
}

/** The low half of the first byte of a zlib header: the method, deflate. */
const ZLIB_METHOD = 8;
/** The first two bytes of a zlib header are a multiple of it (RFC 1950, 2.2). */
const ZLIB_CHECK = 31;

const GZIP: Coding = { stream: zlib.createGunzip, whole: promisify(zlib.gunzip) as Decode };
const INFLATE = promisify(zlib.inflate) as Decode;
const INFLATE_RAW = promisify(zlib.inflateRaw) as Decode;

const CODINGS: ReadonlyMap<string, Coding> = new Map([
  ["gzip", GZIP],
  ["x-gzip", GZIP],
  [
    "br",
    { stream: zlib.createBrotliDecompress, whole: promisify(zlib.brotliDecompress) as Decode },
  ],
  [
    "deflate",
    {
      stream: createInflateOfEither,
      whole: (bytes, limits) => (hasZlibHeader(bytes) ? INFLATE : INFLATE_RAW)(bytes, limits),
    },
  ],
  ...zstd(zlib),
]);

/** Node 20 has none. */
export function zstd(module: object): [string, Coding][] {
  const { createZstdDecompress: stream, zstdDecompress: whole } = module as {
    createZstdDecompress?: () => Duplex;
    zstdDecompress?: typeof zlib.gunzip;
  };
  if (stream === undefined || whole === undefined) return [];
  return [["zstd", { stream, whole: promisify(whole) as Decode }]];
}

/**
 * How a body is decoded.
 *
 * @param value of `content-encoding`
 * @returns in the order in which it is done; `undefined` where one of them is not known: such a body is
 *   passed as it is
 */
export function codingsOf(value: string | null): readonly Coding[] | undefined {
  const codings: Coding[] = [];
  for (const name of elementsOf(value)) {
    if (name === "identity") continue;
    const coding = CODINGS.get(name);
    if (coding === undefined) return undefined;
    // The last coding in the list was applied last.
    codings.unshift(coding);
  }
  return codings;
}

/**
 * All of a body, decoded.
 *
 * @param maxBytes is for what is decoded: a small body may hold gigabytes
 * @returns `undefined` where it is longer, or no such body
 */
export async function decodeWhole(
  bytes: Buffer,
  codings: readonly Coding[],
  maxBytes: number,
): Promise<Buffer | undefined> {
  try {
    let decoded = bytes;
    for (const { whole } of codings) decoded = await whole(decoded, { maxOutputLength: maxBytes });
    return decoded;
  } catch {
    // It is for the server to say what is wrong with it.
    return undefined;
  }
}

/**
 * A body, decoded as it comes. Where one stage breaks off, the next ones end with what has come so far:
 * that is why their end alone says nothing.
 *
 * @returns all of them, the body first, and the last
 */
export function decodeStages(
  body: Readable,
  codings: readonly Coding[],
): { readonly stages: readonly Readable[]; readonly decoded: Readable } {
  const stages = [body];
  let decoded = body;
  for (const { stream } of codings) {
    const encoded = decoded;
    const decoder = stream();
    encoded.on("error", () => decoder.end(encoded.read())).pipe(decoder);
    stages.push(decoder);
    decoded = decoder;
  }
  return { stages, decoded };
}

/** `deflate` means with zlib's header; some servers send it without. The first chunk tells. */
function createInflateOfEither(): Duplex {
  let inflate: Duplex | undefined;
  const start = (first: Buffer): Duplex => {
    const started = hasZlibHeader(first) ? zlib.createInflate() : zlib.createInflateRaw();
    started.on("data", (decoded) => {
      if (!either.push(decoded)) started.pause();
    });
    started.on("end", () => either.push(null)).on("error", (error) => either.destroy(error));
    return started;
  };
  const either = new Duplex({
    read: () => void inflate?.resume(),
    write(chunk: Buffer, _encoding, done) {
      inflate ??= start(chunk);
      inflate.write(chunk, done);
    },
    final(done) {
      if (inflate === undefined) either.push(null);
      else inflate.end();
      done();
    },
  });
  return either;
}

function hasZlibHeader(bytes: Uint8Array): boolean {
  const [first = 0, second] = bytes;
  if ((first & 0x0f) !== ZLIB_METHOD) return false;
  return second === undefined || ((first << 8) | second) % ZLIB_CHECK === 0;
}
