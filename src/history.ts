import { dialectOf } from "./dialects/dialect.ts";
import type { ChatToolMessage, ToolCall } from "./types.ts";

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
export function toolResult(call: ToolCall, output: unknown): ChatToolMessage {
  return dialectOf(call.dialect).writeResult(call, resultText(output));
}

function resultText(output: unknown): string {
  if (typeof output === "string") return output;
  try {
    // JSON.stringify gives undefined for what JSON has no word for: undefined, functions, symbols.
    return (JSON.stringify(output) as string | undefined) ?? "";
  } catch (cause) {
    throw new TypeError("Cannot answer call: its output cannot be written as JSON", { cause });
  }
}
