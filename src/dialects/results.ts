import type { Dialect, ToolCall, ToolResults } from "../types.ts";
import { writeChatResult } from "./chat/result.ts";
import { writeMessagesResult } from "./messages/result.ts";
import { writeResponsesResult } from "./responses/result.ts";

/** Apart from the histories, so that code which only answers calls ships none. */
const RESULTS: {
  readonly [Name in Dialect]: (call: ToolCall, output: unknown) => ToolResults[Name];
} = {
  chat: writeChatResult,
  messages: writeMessagesResult,
  responses: writeResponsesResult,
};

/**
 * The answer to a call, in the call's dialect.
 *
 * @throws TypeError when the dialect is unknown: the call came from elsewhere
 */
export function writeResult(call: ToolCall, output: unknown): ToolResults[Dialect] {
  const { dialect } = call;
  if (!Object.hasOwn(RESULTS, dialect))
    throw new TypeError(`Cannot answer call: dialect "${dialect}" is unknown`);
  return RESULTS[dialect](call, output);
}
