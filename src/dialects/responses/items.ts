// The types of items that are calls, or answer them.

export const CUSTOM_CALL = "custom_tool_call";

/** The items that are calls, and the field of each that holds what it is called with. */
export const CALL_TYPES: ReadonlyMap<unknown, "arguments" | "input"> = new Map([
  ["function_call", "arguments"],
  [CUSTOM_CALL, "input"],
] as const);

/** The items that answer calls. */
export const RESULT_TYPES: ReadonlySet<unknown> = new Set([
  "function_call_output",
  "custom_tool_call_output",
]);

/** How the types of items end that answer others. */
export const RESULT_SUFFIX = "_output";
