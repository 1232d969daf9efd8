import { expect, test } from "vitest";
import {
  ChatEventStream,
  ToolCallAssembler,
  ToolCallStream,
  type ToolCallStreamOptions,
} from "../src/index.ts";
import { resolveOptions } from "../src/options.ts";

test("resolveOptions gives the documented defaults", () => {
  expect(resolveOptions({})).toMatchObject({
    eager: true,
    maxEventLength: 8_388_608,
    maxArgumentsLength: 8_388_608,
    maxMessageLength: 8_388_608,
    maxToolCalls: 1024,
    onDiagnostic: expect.any(Function),
  });
  expect(resolveOptions({ eager: undefined, maxToolCalls: undefined })).toMatchObject({
    eager: true,
    maxToolCalls: 1024,
  });
  expect(resolveOptions({ maxToolCalls: Number.POSITIVE_INFINITY }).maxToolCalls).toBe(
    Number.POSITIVE_INFINITY,
  );
});

test.each([
  ["parseArguments", "JSON.parse", TypeError],
  ["generateId", 7, TypeError],
  ["eager", "yes", TypeError],
  ["onDiagnostic", true, TypeError],
  ["maxEventLength", "8", TypeError],
  ["maxEventLength", 0, RangeError],
  ["maxArgumentsLength", -1, RangeError],
  ["maxMessageLength", 1.5, RangeError],
  ["maxToolCalls", Number.NaN, RangeError],
])("the constructors reject %s: %j, and name the option", (name, value, error) => {
  // What JavaScript users can pass, whatever the types say.
  const options = { [name]: value } as unknown as ToolCallStreamOptions;
  for (const construct of [ToolCallStream, ChatEventStream, ToolCallAssembler]) {
    if (construct === ToolCallAssembler && name === "maxEventLength") continue;
    expect(() => new construct(options)).toThrow(error);
    expect(() => new construct(options)).toThrow(name);
  }
});

test.each([null, "text", 5])("the constructors reject options %j", (options) => {
  expect(() => new ToolCallStream(options as unknown as ToolCallStreamOptions)).toThrow(TypeError);
});
