import { type JsonObject, presentString } from "../../json/object.ts";

// The types of items that are calls, or answer them.

export const CUSTOM_CALL = "custom_tool_call";

/** The items that are calls, each with the field that holds its arguments or input. */
export const CALL_TYPES: ReadonlyMap<unknown, "arguments" | "input"> = new Map([
  ["function_call", "arguments"],
  [CUSTOM_CALL, "input"],
] as const);

/** The items that answer calls. */
export const RESULT_TYPES: ReadonlySet<unknown> = new Set([
  "function_call_output",
  "custom_tool_call_output",
]);

/** The types of all items that answer others end with this. */
export const RESULT_SUFFIX = "_output";

/** The type of the parts in the summary of reasoning. */
export const SUMMARY = "summary_text";

/** How the text of a part is shown, by its type. A refusal is not shown. */
export const SHOWN_TYPES: ReadonlyMap<unknown, "text" | "reasoning"> = new Map([
  ["output_text", "text"],
  ["reasoning_text", "reasoning"],
  [SUMMARY, "reasoning"],
]);

/** The type of a part. In a reasoning item all is reasoning, whatever the server calls it. */
export function partTypeIn(itemType: unknown, type: unknown): string {
  return itemType === "reasoning" && type !== SUMMARY ? "reasoning_text" : `${presentString(type)}`;
}

/** In the path of a part, stands between its type and its index. */
export const SEPARATOR = " ";

/** The text of a part. */
export function textOf({ text, refusal }: JsonObject): string | undefined {
  return presentString(text) ?? presentString(refusal);
}
