import type { ExceededLimit, ToolCallStreamError } from "../errors.ts";
import type { ChatStreamEvent, Diagnostic, DiagnosticCode, ToolCall } from "../types.ts";

/** Beyond this many, diagnostics are only counted: a server must not fill the memory with them. */
const MAX_DIAGNOSTICS = 1000;

/** Why a response failed: an error, or the option that it exceeds. */
type Failure = ToolCallStreamError | TypeError | ExceededLimit;

/** The chat events of one response, its calls and diagnostics among them. */
export class Output<Input> {
  /** Whether only finished calls are wanted: then no other event is kept. */
  readonly isCallsOnly: boolean;
  readonly calls: ToolCall<Input>[] = [];
  readonly diagnostics: Diagnostic[] = [];
  diagnosticCount = 0;
  /** The number of the event that is being read; -1 before the first. */
  event = -1;
  /** Whether some of its bytes were not UTF-8, so that U+FFFD may stand for what was sent. */
  hasReplacedBytes = false;
  /** The failure that ends the reading at once, and the one that ends it after its event. */
  #stop: Failure | undefined;
  #failure: Failure | undefined;
  #observer: (diagnostic: Diagnostic) => void;
  /** The chat events since the last {@link take}. */
  #events: ChatStreamEvent<Input>[] = [];

  constructor(observer: (diagnostic: Diagnostic) => void, isCallsOnly: boolean) {
    this.#observer = observer;
    this.isCallsOnly = isCallsOnly;
  }

  /** Why the response has failed: an error in its event counts before an exceeded limit. */
  get failure(): Failure | undefined {
    return this.#failure ?? this.#stop;
  }

  /** Whether no more payloads are read, not even the rest of a list in one event. */
  get isStopped(): boolean {
    return this.#stop !== undefined;
  }

  /** The next event is read. @param hasReplacedBytes whether some of its bytes were not UTF-8 */
  nextEvent(hasReplacedBytes = false): void {
    this.event += 1;
    this.hasReplacedBytes = hasReplacedBytes;
    if (hasReplacedBytes) {
      this.report("replaced-bytes", "Bytes that are not UTF-8 were replaced", true);
    }
  }

  /** The chat events since the last time; the caller owns them now. */
  take(): ChatStreamEvent<Input>[] {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  emit(event: ChatStreamEvent<Input>): void {
    if (event.type === "tool-call") this.calls.push(event.call);
    else if (this.isCallsOnly) return;
    this.#events.push(event);
  }

  /** @param isLoss whether something was lost or cannot be trusted */
  report(code: DiagnosticCode, message: string, isLoss: boolean, id?: string): void {
    this.diagnosticCount += 1;
    if (this.diagnosticCount > MAX_DIAGNOSTICS) return;
    const severity = isLoss ? "error" : "warning";
    const diagnostic: Diagnostic = { code, severity, message, event: this.event, id };
    this.diagnostics.push(diagnostic);
    try {
      this.#observer(diagnostic);
    } catch {
      // An observer that fails must not change the reading.
    }
    this.emit({ type: "diagnostic", diagnostic });
  }

  /** The response is larger than the option of this name allows. */
  exceed(name: string, value: number): void {
    this.#stop ??= { name, value };
  }

  /** No more can be taken. */
  stop(error: TypeError): void {
    this.#stop ??= error;
  }

  /** The response has failed; the rest of the event is read first. */
  fail(error: ToolCallStreamError | TypeError): void {
    this.#failure ??= error;
  }
}
