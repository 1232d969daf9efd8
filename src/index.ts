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
export { toolResult } from "./history/tool-result.ts";
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
  ChatStreamEvent,
  ChatToolMessage,
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
  MessagesToolResult,
  ResponsesItem,
  ResponsesToolOutput,
  ToolCall,
  ToolCallError,
  ToolCallErrorCode,
  ToolCallType,
  ToolResults,
} from "./types.ts";
export type { JsonObject } from "./json/object.ts";
export { uniqueToolCallIds, type UniqueToolCallIdsOptions } from "./fetch/unique-tool-call-ids.ts";
export type { ToolCallRename, UniqueToolCallIdOptions } from "./wire/wire-options.ts";
