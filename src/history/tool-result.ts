import { RESULTS } from "../dialects/results.ts";
import type { Dialect, ToolCall, ToolResults } from "../types.ts";

export interface ToolResultOptions {
  /** Whether the tool threw the output. Messages says so to the model, and of an `Error` anyway. */
  readonly isError?: boolean | undefined;
}

/**
 * The message that answers a call, in the call's dialect.
 *
 * A string goes as it is, and so does a list of nothing but content parts (blocks) that a result of the
 * dialect may have: texts, images, documents. An `Error` becomes its message, everything else JSON,
 * `undefined` `""`.
 *
 * @throws TypeError when the output has no JSON (a BigInt, a cycle), or the call came from elsewhere and
 *   its dialect is unknown
 *
 * @example Tell the model why a call was not executed
 * ```ts
 * messages.push(toolResult(call, call.status === "incomplete" ? call.error : await run(call)));
 * ```
 */
export function toolResult<Name extends Dialect>(
  call: ToolCall & { readonly dialect: Name },
  output: unknown,
  options?: ToolResultOptions,
): ToolResults[Name] {
  const { dialect } = call;
  if (!Object.hasOwn(RESULTS, dialect))
    throw new TypeError(`Cannot answer call: dialect "${dialect}" is unknown`);
  return RESULTS[dialect](call, output, options?.isError);
}
