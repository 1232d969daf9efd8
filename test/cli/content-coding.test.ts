import { once } from "node:events";
import { PassThrough, Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { codingsOf, decodeStages, decodeWhole, zstd } from "../../src/cli/content-coding.ts";

describe("codingsOf", () => {
  test.each([
    [null, 0],
    ["", 0],
    ["identity", 0],
    ["gzip", 1],
    [" X-GZip , br", 2],
    ["utf-8", undefined],
    ["gzip, own", undefined],
  ])("%j: %s", (value, count) => {
    expect(codingsOf(value)?.length).toBe(count);
  });
});

type Done = (error: null, decoded: Buffer) => void;

/** What newer versions of Node have beside `node:zlib` of older ones. */
const newer = {
  createZstdDecompress: () => new PassThrough(),
  zstdDecompress: (bytes: Buffer, _limits: object, done: Done) => done(null, bytes.subarray(1)),
};

test("zstd is known where Node has it", async () => {
  expect(zstd({})).toEqual([]);
  const [[name, coding] = []] = zstd(newer);
  expect(name).toBe("zstd");
  expect(coding && `${await decodeWhole(Buffer.from("ab"), [coding], 2)}`).toBe("b");
});

test.each([
  ["gzip", gzipSync],
  ["br", brotliCompressSync],
  ["deflate", deflateSync],
  ["deflate", deflateRawSync],
])(
  "a small body in %s that holds much is decoded no faster than it is read",
  async (coding, compress) => {
    const LENGTH = 2 ** 22;
    const compressed = compress(Buffer.alloc(LENGTH));
    const decoding = (): Readable =>
      decodeStages(Readable.from([compressed]), codingsOf(coding) ?? []).decoded;
    const waiting = decoding();
    await once(waiting, "readable");
    // For as long as it takes to decode all of it elsewhere.
    expect((await buffer(decoding())).length).toBe(LENGTH);
    expect(waiting.readableLength).toBeLessThan(LENGTH / 10);
    expect((await buffer(waiting)).length).toBe(LENGTH);
  },
);
