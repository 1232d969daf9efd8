import type { ToolCallStreamError } from "./errors.ts";
import type { JsonObject } from "./json/object.ts";

/**
 * The wire shape of a response: `chat` is OpenAI Chat Completions, `messages` is Anthropic Messages,
 * `responses` is OpenAI Responses.
 */
export type Dialect = "chat" | "messages" | "responses";

/** Whether a call is a function call (JSON arguments) or a custom one (free text). */
export type ToolCallType = "function" | "custom";

/**
 * Why a call must not be executed.
 *
 * - `truncated`: the response did not end normally, or the arguments never closed
 * - `malformed`: the arguments are not JSON
 * - `nameless`: no name ever came
 * - `damaged`: an event was lost while the call was open, so a fragment may be missing
 * - `rejected`: the arguments are JSON, and `parseArguments` threw on them
 */
export type ToolCallErrorCode = "truncated" | "malformed" | "nameless" | "damaged" | "rejected";

/** Why a call is incomplete: a plain object, since a class would not survive structured cloning. */
export interface ToolCallError {
  readonly code: ToolCallErrorCode;
  readonly message: string;
}

interface ToolCallBase {
  /** Fresh and unique over all calls of all streams: the id to answer with. */
  readonly id: string;
  /** The id on the wire, verbatim; `undefined` if none came. May repeat from turn to turn. */
  readonly providerId: string | undefined;
  /** `""` if none ever came; such a call is incomplete. */
  readonly name: string;
  /** The exact argument text; `"{}"` when a call without arguments ended normally. */
  readonly arguments: string;
  readonly choice: number;
  /** The position among the calls of its choice, from 0, in order of first appearance. */
  readonly index: number;
  readonly dialect: Dialect;
  /** Unknown fields that came with the call, where they stood; they go back with the message. */
  readonly extra: JsonObject | undefined;
}

/** A call of a function whose arguments are whole and valid. */
export interface CompleteFunctionCall<Input> extends ToolCallBase {
  readonly type: "function";
  readonly status: "complete";
  /** What `parseArguments` made of the arguments. */
  readonly input: Input;
  readonly error: undefined;
}

/** A call of a custom tool: its input is free text and never parsed. */
export interface CompleteCustomCall extends ToolCallBase {
  readonly type: "custom";
  readonly status: "complete";
  readonly input: string;
  readonly error: undefined;
}

/** A call that must not be executed. */
export interface IncompleteCall extends ToolCallBase {
  readonly type: ToolCallType;
  readonly status: "incomplete";
  readonly input: undefined;
  readonly error: ToolCallError;
}

/**
 * A finished tool call: a plain, readonly, structured-cloneable object that is whole when it
 * arrives and never changed after.
 */
export type ToolCall<Input = unknown> =
  | CompleteFunctionCall<Input>
  | CompleteCustomCall
  | IncompleteCall;

/** The subject of a diagnostic. */
export type DiagnosticCode =
  | "damaged-event"
  | "reframed-event"
  | "unfinished-event"
  | "repeated-arguments"
  | "repeated-call"
  | "further-call"
  | "late-text"
  | "lost-fragment"
  | "repeated-index"
  | "repaired-arguments"
  | "message-too-long"
  | "replaced-bytes"
  | "nested-too-deep";

/** Something odd in a response that did not stop it. */
export interface Diagnostic {
  readonly code: DiagnosticCode;
  /** `warning`: tolerated. `error`: something was lost or cannot be trusted. */
  readonly severity: "warning" | "error";
  readonly message: string;
  /** The number of the event in the response, from 0. */
  readonly event: number;
  /** The call it is about, if it is about one. */
  readonly id: string | undefined;
}

/** An event of `ChatEventStream`; they come in wire order. */
export type ChatStreamEvent<Input = unknown> =
  | { readonly type: "text"; readonly text: string; readonly choice: number }
  | { readonly type: "reasoning"; readonly text: string; readonly choice: number }
  | {
      readonly type: "tool-call-start";
      readonly id: string;
      readonly name: string;
      readonly choice: number;
      readonly index: number;
    }
  | { readonly type: "tool-call-delta"; readonly id: string; readonly fragment: string }
  | { readonly type: "tool-call"; readonly call: ToolCall<Input> }
  | { readonly type: "finish"; readonly choice: number; readonly reason: string }
  | { readonly type: "usage"; readonly usage: JsonObject }
  | { readonly type: "diagnostic"; readonly diagnostic: Diagnostic };

/** The end of a response that failed; only `ToolCallAssembler` has it, streams raise it instead. */
export interface ErrorEvent {
  readonly type: "error";
  /** A `TypeError` when `generateId` gave an id that cannot be used. */
  readonly error: ToolCallStreamError | TypeError;
}

/** An event of `ToolCallAssembler`. */
export type ChatEvent<Input = unknown> = ChatStreamEvent<Input> | ErrorEvent;

/** A call in an assistant message of the chat dialect. */
export type ChatMessageToolCall =
  | {
      id: string;
      type: "function";
      function: { name: string; arguments: string };
    }
  | { id: string; type: "custom"; custom: { name: string; input: string } };

/** An assistant message of the chat dialect, ready to append to the history. */
export interface ChatAssistantMessage {
  role: "assistant";
  content: string | null;
  /** As DeepSeek, Moonshot and others name it. Moonshot answers 400 when it is missing. */
  reasoning_content?: string;
  /** As vLLM and OpenRouter name it. */
  reasoning?: string;
  /** As OpenRouter names it, beside `reasoning`. */
  reasoning_details?: JsonObject[];
  refusal?: string;
  audio?: JsonObject;
  tool_calls?: ChatMessageToolCall[];
}

/** A part of a result of the chat dialect. Some hosts also take the parts that a user message may have. */
export interface ChatTextPart {
  type: "text";
  text: string;
}

/** The message that answers a call of the chat dialect. */
export interface ChatToolMessage {
  role: "tool";
  tool_call_id: string;
  /** Kimi's API asks for it; the others take it. */
  name: string;
  content: string | ChatTextPart[];
}

/** A block in a message of the messages dialect: text, thinking, a tool use, or any other. */
export interface MessagesBlock {
  type: string;
  [field: string]: unknown;
}

/** An assistant message of the messages dialect, ready to append to the history. */
export interface MessagesAssistantMessage {
  role: "assistant";
  content: MessagesBlock[];
}

/** A block in a result of the messages dialect. */
export type MessagesResultBlock =
  | { type: "text"; text: string }
  | { type: "image"; source: MessagesImageSource }
  | { type: "document"; source: MessagesDocumentSource; title?: string; context?: string }
  | {
      type: "search_result";
      source: string;
      title: string;
      content: { type: "text"; text: string }[];
    }
  | { type: "tool_reference"; tool_name: string };

/** Where an image of a result comes from. */
export type MessagesImageSource =
  | {
      type: "base64";
      media_type: "image/jpeg" | "image/png" | "image/gif" | "image/webp";
      data: string;
    }
  | { type: "url"; url: string }
  | { type: "file"; file_id: string };

/** Where a document of a result comes from. */
export type MessagesDocumentSource =
  | { type: "base64"; media_type: "application/pdf"; data: string }
  | { type: "text"; media_type: "text/plain"; data: string }
  | { type: "content"; content: string }
  | { type: "url"; url: string }
  | { type: "file"; file_id: string };

/** The block that answers a call of the messages dialect; it stands in a message of role `user`. */
export interface MessagesToolResult {
  type: "tool_result";
  tool_use_id: string;
  content: string | MessagesResultBlock[];
  /** The call is incomplete, so that it was not executed, or its tool threw. */
  is_error?: true;
}

/** The results of a turn of the messages dialect, ready to append to the history. */
export interface MessagesUserMessage {
  role: "user";
  content: MessagesToolResult[];
}

/** An item of the responses dialect: a message, reasoning, a call, or any other. */
export interface ResponsesItem {
  type: string;
  [field: string]: unknown;
}

/** A part of a result of the responses dialect. */
export type ResponsesResultPart =
  | { type: "input_text"; text: string }
  | {
      type: "input_image";
      detail: "low" | "high" | "auto";
      image_url?: string;
      file_id?: string;
    }
  | {
      type: "input_file";
      file_data?: string;
      file_id?: string;
      file_url?: string;
      filename?: string;
    };

/** The item that answers a call of the responses dialect. */
export interface ResponsesToolOutput {
  type: "function_call_output" | "custom_tool_call_output";
  call_id: string;
  output: string | ResponsesResultPart[];
}

/** By dialect: the entry of a response in the history, one message or a list of items. */
export interface AssistantMessages {
  readonly chat: ChatAssistantMessage;
  readonly messages: MessagesAssistantMessage;
  readonly responses: ResponsesItem[];
}

/** By dialect: the answer to a call. */
export interface ToolResults {
  readonly chat: ChatToolMessage;
  readonly messages: MessagesToolResult;
  readonly responses: ResponsesToolOutput;
}

/** By dialect: what to append to the history after a turn. */
export interface TurnMessages {
  readonly chat: (ChatAssistantMessage | ChatToolMessage)[];
  readonly messages: (MessagesAssistantMessage | MessagesUserMessage)[];
  readonly responses: (ResponsesItem | ResponsesToolOutput)[];
}

/** What a response may say of itself in any dialect, unchecked, beside fields that no one has defined. */
export interface CommonResponseFields {
  readonly id?: string;
  readonly model?: string;
  readonly [field: string]: unknown;
}

/** What a response of the chat dialect says of itself. */
export interface ChatResponseFields extends CommonResponseFields {
  /** In seconds since 1970. */
  readonly created?: number;
  readonly system_fingerprint?: string;
  readonly service_tier?: string;
}

/** What a response of the messages dialect says of itself. */
export interface MessagesResponseFields extends CommonResponseFields {
  /** The next request must name it where tools are called by code that runs in it. */
  readonly container?: {
    readonly id?: string;
    readonly expires_at?: string;
    readonly [field: string]: unknown;
  };
  readonly stop_sequence?: string;
  /** Why the model refused. */
  readonly stop_details?: {
    readonly type?: string;
    readonly category?: string | null;
    readonly explanation?: string | null;
    readonly [field: string]: unknown;
  };
  readonly context_management?: {
    readonly applied_edits?: readonly JsonObject[];
    readonly [field: string]: unknown;
  };
  readonly service_tier?: string;
}

/** What a response of the responses dialect says of itself. */
export interface ResponsesResponseFields extends CommonResponseFields {
  /** In seconds since 1970. */
  readonly created_at?: number;
  readonly status?: string;
  readonly incomplete_details?: {
    readonly reason?: string;
    readonly [field: string]: unknown;
  };
  readonly conversation?: {
    readonly id?: string;
    readonly [field: string]: unknown;
  };
  readonly previous_response_id?: string;
  readonly service_tier?: string;
  /** Of the last event: where a resumption begins. */
  readonly sequence_number?: number;
}

/** By dialect: what the server says of the response itself. */
export interface ResponseFields {
  readonly chat: ChatResponseFields;
  readonly messages: MessagesResponseFields;
  readonly responses: ResponsesResponseFields;
}

/** One choice of a completion. */
export interface CompletionChoice<Input = unknown, Name extends Dialect = Dialect> {
  readonly index: number;
  /** `undefined` when the message grew beyond `maxMessageLength`. */
  readonly message: AssistantMessages[Name] | undefined;
  /** The first one that came, as the server sent it. */
  readonly finishReason: string | null;
  readonly toolCalls: readonly ToolCall<Input>[];
}

/** A completion of one dialect; `undefined` while nothing of a known shape has come. */
interface CompletionOf<Input, Name extends Dialect | undefined> {
  /**
   * The message of choice 0, ready to append to the history. It has every field that the server sent,
   * joined as in a response without streaming, and the calls under their fresh ids.
   *
   * An incomplete call stands in it with arguments `"{}"`, a nameless one with the name
   * `unnamed_tool`, since servers parse the history and every result must find its call.
   * `undefined` while nothing of a known shape has come, and beyond `maxMessageLength`.
   */
  readonly message: Name extends Dialect ? AssistantMessages[Name] | undefined : undefined;
  readonly choices: readonly CompletionChoice<Input, Name extends Dialect ? Name : Dialect>[];
  /** Every call of every choice, in the order in which they came out. */
  readonly toolCalls: readonly ToolCall<Input>[];
  /** The finish reason of choice 0. */
  readonly finishReason: string | null;
  /** As the server sent it last. */
  readonly usage: JsonObject | undefined;
  /**
   * What the server said of the response itself: its id and model, and what a next request, a log or a
   * resumption needs. Raw, and the last present value of each field: `null` and `""` erase nothing.
   *
   * `{}` while there is none, and beyond `maxMessageLength`.
   */
  readonly response: Name extends Dialect ? ResponseFields[Name] : CommonResponseFields;
  /** The first 1,000. */
  readonly diagnostics: readonly Diagnostic[];
  /** How many diagnostics there were in all. */
  readonly diagnosticCount: number;
  readonly dialect: Name;
}

/** A response that has ended, or its part so far: `dialect` tells the shape of `message`. */
export type Completion<Input = unknown> =
  | { [Name in Dialect]: CompletionOf<Input, Name> }[Dialect]
  | CompletionOf<Input, undefined>;
