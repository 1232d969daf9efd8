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
