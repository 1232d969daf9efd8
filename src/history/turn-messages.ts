import type { TurnDialect } from "../dialects/dialect.ts";
import { nameOf, objectOr } from "../dialects/fields.ts";
import { TURNS } from "../dialects/results.ts";
import type { Completion, Dialect, ToolCall, ToolResults, TurnMessages } from "../types.ts";

type Result = ToolResults[Dialect];

/**
 * What to append to the history after a turn, in the dialect of the response: the message, unless it is
 * empty, and what `toolResult` gave for its calls, in their order. Nothing if there is no message.
 *
 * The results of other choices are left out, and those of calls that the message answers itself.
 *
 * @throws TypeError when a call of the message has no result or two, a result has no call, or there are
 *   results and no message
 *
 * @example
 * ```ts
 * messages.push(...turnMessages(await calls.completion, await Promise.all(results)));
 * ```
 */
export function turnMessages<Name extends Dialect | undefined>(
  completion: Completion & { readonly dialect: Name },
  results: readonly Result[],
): Name extends Dialect ? TurnMessages[Name] : never[];
export function turnMessages(
  { dialect, message, toolCalls }: Completion,
  results: readonly Result[],
): TurnMessages[Dialect] {
  if (dialect === undefined || message === undefined) {
    if (results.length > 0)
      throw new TypeError("Cannot append turn: it has results, and no message");
    return [];
  }
  const turn: TurnDialect<Dialect> = TURNS[dialect];
  const calls = new Map<unknown, ToolCall>(toolCalls.map((call) => [call.id, call]));
  /** Also those that are left out. */
  const answers = new Map<unknown, Result[]>();
  for (const result of results) {
    const { [turn.resultField]: id } = objectOr(result);
    if (!calls.has(id)) throw new TypeError(`Cannot append turn: no call has the id ${id}`);
    const answer = answers.get(id);
    if (answer === undefined) answers.set(id, [result]);
    else answer.push(result);
  }
  const inOrder = turn.openIds(message).flatMap((id) => {
    const call = calls.get(id);
    // What looks like a call may be none for us.
    if (call === undefined) return [];
    const [result, second] = answers.get(id) ?? [];
    if (result !== undefined && second === undefined) return [result];
    const count = result === undefined ? "no" : "more than one";
    throw new TypeError(`Cannot append turn: ${nameOf(call)} (${call.id}) has ${count} result`);
  });
  return turn.write(message, inOrder);
}
