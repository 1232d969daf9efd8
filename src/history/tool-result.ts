import { writeResult } from "../dialects/results.ts";
import type { Dialect, ToolCall, ToolResults } from "../types.ts";

/**
 * The message that answers a call, in the call's dialect.
 *
 * A string goes as it is, everything else as JSON, `undefined` as `""`.
 *
 * @throws TypeError when the output has no JSON (a BigInt, a cycle)
 *
 * @example Tell the model why a call was not executed
 * ```ts
 * messages.push(toolResult(call, call.status === "incomplete" ? call.error : await run(call)));
 * ```
 */
export function toolResult(call: ToolCall, output: unknown): ToolResults[Dialect] {
  return writeResult(call, output);
}
