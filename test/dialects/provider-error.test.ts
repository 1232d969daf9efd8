import { expect, test } from "vitest";
import { readProviderError } from "../../src/dialects/provider-error.ts";

const nothing = { code: undefined, type: undefined, message: undefined, param: undefined };

test.each<[string, object, object | undefined]>([
  [
    "an object",
    { error: { code: 5, type: "t", message: "m", param: "p", x: 1 } },
    {
      code: 5,
      type: "t",
      message: "m",
      param: "p",
      raw: { code: 5, type: "t", message: "m", param: "p", x: 1 },
    },
  ],
  [
    "empty fields",
    { error: { code: "", type: null, message: 5 } },
    { ...nothing, raw: { code: "", type: null, message: 5 } },
  ],
  ["a string", { error: "m", code: "c" }, { ...nothing, code: "c", message: "m", raw: "m" }],
  [
    "true",
    { error: true, message: "m" },
    { ...nothing, message: "m", raw: { error: true, message: "m" } },
  ],
  ["a list", { error: ["m"] }, { ...nothing, message: "m", raw: "m" }],
  ["null", { error: null }, undefined],
  ["nothing", {}, undefined],
  ["an empty list", { error: [] }, undefined],
  ["zero", { error: 0 }, undefined],
  ["a number", { error: 500 }, { ...nothing, raw: { error: 500 } }],
])("readProviderError reads %s", (_name, payload, expected) => {
  expect(readProviderError({ ...payload })).toEqual(expected);
});
