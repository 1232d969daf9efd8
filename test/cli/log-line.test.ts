import { describe, expect, test } from "vitest";
import { jsonOf, type LogEntry, textOf } from "../../src/cli/log-line.ts";
import { printable } from "../../src/cli/printable.ts";

const ENTRY: LogEntry = {
  time: new Date(0),
  method: "POST",
  path: "/v1/messages",
  status: 200,
  by: "server",
  reason: undefined,
  ending: "whole",
  milliseconds: 1234,
  renamed: 2,
};
const NONE = { ...ENTRY, status: undefined, renamed: 0 };

describe("a line of the log", () => {
  test.each([
    { entry: ENTRY, line: "200 by the server, 1234 ms, 2 calls renamed" },
    {
      entry: { ...ENTRY, status: 502, by: "proxy", reason: "ECONNREFUSED", renamed: 1 },
      line: "502 by the proxy: ECONNREFUSED, 1234 ms, 1 call renamed",
    },
    {
      entry: { ...ENTRY, ending: "cut by the server", reason: "ECONNRESET" },
      line: "200 by the server, 1234 ms, 2 calls renamed, cut by the server: ECONNRESET",
    },
    {
      entry: { ...NONE, ending: "closed by the client" },
      line: "-, 1234 ms, 0 calls renamed, closed by the client",
    },
  ] as const)("$line", ({ entry, line }) => {
    expect(textOf(entry)).toBe(`1970-01-01T00:00:00.000Z POST /v1/messages ${line}`);
  });

  test("for machines is the same as JSON, with null for what there is not", () => {
    const time = "1970-01-01T00:00:00.000Z";
    expect(JSON.parse(jsonOf(ENTRY))).toEqual({ ...ENTRY, time, reason: null });
    const nothing = { status: null, by: null, reason: null };
    expect(JSON.parse(jsonOf(NONE))).toEqual({ ...NONE, time, ...nothing });
  });

  test.each([textOf, jsonOf])("has no control character", (lineOf) => {
    const path = "/\u001b[2J\r\n\u009b1m\u007f\u2028\u202e\u0000é";
    const line = lineOf({ ...ENTRY, path });
    expect(line).not.toMatch(/[\p{Cc}\u2028\u202e]/u);
    if (lineOf === jsonOf) expect(JSON.parse(line).path).toBe(path);
  });
});

test("printable escapes what moves the cursor of a terminal, and nothing else", () => {
  const text = "Grüße, 日本, 👩‍👩‍👧: \\ \u001b[31mred\u009b\u2066";
  expect(printable(text)).toBe("Grüße, 日本, 👩‍👩‍👧: \\ \\u001b[31mred\\u009b\\u2066");
});
