import { expect, test } from "vitest";
import { mintId, mintShortId } from "../../src/ids.ts";
import { isRandomId, isShortId, isStateId } from "../../src/wire/random-ids.ts";

const UUID4 = "3f2b8c1e-9a4d-4e6f-8b7a-0c1d2e3f4a5b";
const UUID7 = "019ac2d4-5b6e-7f80-9a1b-2c3d4e5f6a7b";
/** What a hash of name and arguments looks like: the version of the first is 3, of the second 5. */
const MD5 = "3f2b8c1e9a4d3e6f8b7a0c1d2e3f4a5b";
const SHA = "3f2b8c1e9a4d5e6f8b7a0c1d2e3f4a5b";
const withoutDashes = (uuid: string): string => uuid.replaceAll("-", "");

test.each([
  ["OpenAI", "call_8s9dKfj20sKdjfEwoQ2kdjsl"],
  ["Anthropic", "toolu_01A09q90qw90lq917835lq9X"],
  ["Anthropic on Bedrock", "toolu_bdrk_01A09q90qw90lq917835lq9X"],
  ["Anthropic on Vertex", "toolu_vrtx_01A09q90qw90lq917835lq9X"],
  ["Bedrock Converse", "tooluse_kZJMlvQmRJ6eAyJE5GIl-_"],
  ["a UUID", UUID4],
  ["a UUID of version 7", UUID7],
  ["a UUID in capitals", UUID4.toUpperCase()],
  ["vLLM's Responses", `call_${withoutDashes(UUID4)}`],
  ["vLLM's items", withoutDashes(UUID4)],
  ["a gateway with a word before it", `fc-${UUID4}`],
  ["vLLM's Rust front end", `call_${withoutDashes(UUID4).slice(0, 24)}`],
  ["Mistral", "aB3dE5gH7"],
  ["our own", mintId()],
  ["our own of nine", mintShortId()],
])("the ids of %s are random by their making", (_source, id) => {
  expect(isRandomId(id)).toBe(true);
});

test.each([
  ["Kimi K3", "get_weather:0"],
  ["Kimi K2", "functions.get_weather:0"],
  ["LiteLLM for Moonshot", "Bash_210"],
  ["vLLM's chat, which OpenAI finds too long", `chatcmpl-tool-${withoutDashes(UUID4)}`],
  ["one character too much for OpenAI", `call_${UUID4}`],
  ["a hash of 128 bits", MD5],
  ["another one, behind a prefix", `call_${SHA}`],
  ["the start of a hash", `call_${MD5.slice(0, 24)}`],
  ["hex digits in the form of OpenAI", "call_abcdefabcdefabcdefabcdef"],
  ["hex digits in our form", `call_${"0f".repeat(14)}`],
  ["a nil UUID", "00000000-0000-0000-0000-000000000000"],
  ["nine digits", "123456789"],
  ["nine characters, some of them others", "get_sun:0"],
  ["a name of tools", "toolu_1"],
  ["a time", "call_1764580000"],
  ["an empty text", ""],
])("those of %s may repeat", (_source, id) => {
  expect(isRandomId(id)).toBe(false);
});

test.each([
  ["call_a__thought__AY89a1", true],
  ["x".repeat(129), true],
  ["x".repeat(128), false],
  ["call_thought", false],
])("%.40s carries a state: %s", (id, isState) => {
  expect(isStateId(id)).toBe(isState);
});

test.each([
  ["aB3dE5gH7", true],
  ["123456789", true],
  ["get_sun:0", false],
  ["aB3dE5gH", false],
])("%s is one of nine characters: %s", (id, isShort) => {
  expect(isShortId(id)).toBe(isShort);
});
