import { expect, test } from "vitest";
import { excerptOf, ToolCallStreamError } from "../src/errors.ts";

test("ToolCallStreamError carries what it knows", () => {
  const cause = new Error("why");
  const limit = { name: "maxToolCalls", value: 1 };
  const error = new ToolCallStreamError("limit-exceeded", "Cannot read", {
    limit,
    event: 3,
    cause,
  });
  expect(error).toBeInstanceOf(Error);
  expect(error).toMatchObject({
    name: "ToolCallStreamError",
    code: "limit-exceeded",
    message: "Cannot read",
    event: 3,
    limit,
    provider: undefined,
    excerpt: undefined,
    cause,
  });
  expect("cause" in new ToolCallStreamError("cancelled", "Cannot")).toBe(false);
});

test("excerptOf gives one short line", () => {
  expect(excerptOf(" a\n\t b ")).toBe("a b");
  expect(excerptOf("x".repeat(1_000_000), 3)).toBe("xxx…");
  expect(excerptOf("xxx", 3)).toBe("xxx");
});
