import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { codingsOf, decodeWhole, zstd } from "../../src/cli/content-coding.ts";

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
