export { collect } from "./streams/collect.ts";
export {
  type ExceededLimit,
  type ProviderError,
  ToolCallStreamError,
  type ToolCallStreamErrorCode,
} from "./errors.ts";
export { type HistoryFault, mendHistory, type MendHistoryOptions } from "./history/mend.ts";
export { findPairingFaults, type PairingFault } from "./history/pairing.ts";
export { type HistoryCall, kimiK2ToolCallIds, mapToolCallIds } from "./history/tool-call-ids.ts";
export { toolResult, type ToolResultOptions } from "./history/tool-result.ts";
export { turnMessages } from "./history/turn-messages.ts";
export type { ToolCallStreamOptions } from "./options.ts";
export { ChatEventStream } from "./streams/chat-event-stream.ts";
export { ToolCallStream } from "./streams/tool-call-stream.ts";
export { UniqueToolCallIdStream } from "./streams/unique-tool-call-id-stream.ts";
export {
  ToolCallAssembler,
  type ToolCallAssemblerOptions,
} from "./response/tool-call-assembler.ts";
export type {
  AssistantMessages,
  ChatAssistantMessage,
  ChatEvent,
  ChatMessageToolCall,
  ChatResponseFields,
  ChatStreamEvent,
  ChatTextPart,
  ChatToolMessage,
  CommonResponseFields,
  CompleteCustomCall,
  CompleteFunctionCall,
  Completion,
  CompletionChoice,
  Diagnostic,
  DiagnosticCode,
  Dialect,
  ErrorEvent,
  IncompleteCall,
  MessagesAssistantMessage,
  MessagesBlock,
  MessagesDocumentSource,
  MessagesImageSource,
  MessagesResponseFields,
  MessagesResultBlock,
  MessagesToolResult,
  MessagesUserMessage,
  ResponseFields,
  ResponsesItem,
  ResponsesResponseFields,
  ResponsesResultPart,
  ResponsesToolOutput,
  ToolCall,
  ToolCallError,
  ToolCallErrorCode,
  ToolCallType,
  ToolResults,
  TurnMessages,
} from "./types.ts";
export type { JsonObject } from "./json/object.ts";
export { uniqueToolCallIds } from "./fetch/unique-tool-call-ids.ts";
export type { UniqueToolCallIdsOptions } from "./fetch/wire-ids.ts";
export type { ToolCallRename, UniqueToolCallIdOptions } from "./wire/wire-options.ts";
