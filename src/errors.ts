/**
 * Why a response cannot be read to its end.
 *
 * - `provider-error`: the server sent an error; {@link ToolCallStreamError.provider} holds it
 * - `not-an-event-stream`: the body is neither an event stream nor a completion (an HTML page, say)
 * - `truncated-response`: the body ended without a finish reason and without the dialect's end
 * - `limit-exceeded`: the response is larger than an option allows
 * - `cancelled`: the reader was cancelled (only on `completion`)
 */
export type ToolCallStreamErrorCode =
  | "provider-error"
  | "not-an-event-stream"
  | "truncated-response"
  | "limit-exceeded"
  | "cancelled";

/** An error as a server reported it. Fields that it did not send are `undefined`. */
export interface ProviderError {
  readonly code: string | number | undefined;
  readonly type: string | undefined;
  readonly message: string | undefined;
  readonly param: string | undefined;
  /** The error as it was sent: some servers add fields that help to recover. */
  readonly raw: unknown;
}

/** The option that a response exceeded. */
export interface ExceededLimit {
  readonly name: string;
  readonly value: number;
}

/** The facts of the failure, beside its code. */
export interface ToolCallStreamErrorDetails {
  readonly event?: number | undefined;
  readonly provider?: ProviderError | undefined;
  readonly limit?: ExceededLimit | undefined;
  readonly excerpt?: string | undefined;
  readonly cause?: unknown;
}

/**
 * The one error of this library: a response that failed.
 *
 * It is raised after every call that the response named has been delivered, the complete ones as
 * complete. Errors of the source (a reset, an abort) are not wrapped in it: they pass as they are.
 *
 * @example Tell a server's error from a cut connection
 * ```ts
 * try {
 *   for await (const call of body.pipeThrough(new ToolCallStream())) run(call);
 * } catch (error) {
 *   if (error instanceof ToolCallStreamError && error.code === "provider-error") {
 *     console.error(error.provider?.message);
 *   } else throw error;
 * }
 * ```
 */
export class ToolCallStreamError extends Error {
  // A literal, so that it survives minifiers.
  override readonly name = "ToolCallStreamError";
  readonly code: ToolCallStreamErrorCode;
  /** The number of the event at which the response failed, from 0, if there was one. */
  readonly event: number | undefined;
  /** With code `provider-error`. */
  readonly provider: ProviderError | undefined;
  /** With code `limit-exceeded`. */
  readonly limit: ExceededLimit | undefined;
  /** With code `not-an-event-stream`: how the body begins. */
  readonly excerpt: string | undefined;

  constructor(
    code: ToolCallStreamErrorCode,
    message: string,
    details: ToolCallStreamErrorDetails = {},
  ) {
    super(message, details); // It takes only the cause from the details.
    this.code = code;
    this.event = details.event;
    this.provider = details.provider;
    this.limit = details.limit;
    this.excerpt = details.excerpt;
  }
}

/** At most `length` characters of `text`, for a message. */
export function excerptOf(text: string, length = 120): string {
  const line = text
    .slice(0, length * 2)
    .replace(/\s+/g, " ")
    .trim();
  return line.length > length ? `${line.slice(0, length)}…` : line;
}

/** The error of a response that exceeds an option or a constant of ours. */
export function limitExceeded(name: string, value: number, event: number): ToolCallStreamError {
  const message = `Cannot read response: it exceeds ${name} (${value})`;
  return new ToolCallStreamError("limit-exceeded", message, { limit: { name, value }, event });
}

export function notAnEventStream(body: string): ToolCallStreamError {
  const excerpt = excerptOf(body);
  const message = `Cannot read response: it is no event stream ("${excerpt}")`;
  return new ToolCallStreamError("not-an-event-stream", message, { excerpt });
}
