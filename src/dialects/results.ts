import type { Dialect, ToolCall, ToolResults } from "../types.ts";
import { chatTurn, writeChatResult } from "./chat/result.ts";
import type { TurnDialect } from "./dialect.ts";
import { messagesTurn, writeMessagesResult } from "./messages/result.ts";
import { responsesTurn, writeResponsesResult } from "./responses/result.ts";

// Apart from the histories, so that code which only answers calls ships none.

/** By dialect: the answer to a call. The tool threw the output if `isError` says so. */
export const RESULTS: {
  readonly [Name in Dialect]: (
    call: ToolCall,
    output: unknown,
    isError?: boolean,
  ) => ToolResults[Name];
} = {
  chat: writeChatResult,
  messages: writeMessagesResult,
  responses: writeResponsesResult,
};

/** By dialect: how a turn goes back. */
export const TURNS: { readonly [Name in Dialect]: TurnDialect<Name> } = {
  chat: chatTurn,
  messages: messagesTurn,
  responses: responsesTurn,
};
