import { Assembler } from "./assembler.ts";
import { CompletionBuilder } from "./completion.ts";
import { Diagnostics } from "./diagnostics.ts";
import { DeltaReader, elementsOf } from "./delta-reader.ts";
import type { Delta, PartDelta, WireDialect } from "./dialects/dialect.ts";
import {
  excerptOf,
  limitExceeded,
  notAnEventStream,
  type ProviderError,
  ToolCallStreamError,
} from "./errors.ts";
import type { ResolvedOptions } from "./options.ts";
import type { Payload } from "./payloads.ts";
import type { KnownDelta } from "./shortcut.ts";
import type { ChatStreamEvent, Completion, DiagnosticCode } from "./types.ts";

/** More choices than anyone asks for: a server must not fill the memory with them. */
const MAX_CHOICES = 1024;

/**
 * One response: what its events hold → chat events.
 *
 * Decides when the response ends and how; what a payload says is the reader's, the calls are the
 * assembler's.
 */
export class Turn<Input> {
  /** Whether the response is over, so that nothing more is read. */
  isEnded = false;
  /** Why the response failed, once it is over. */
  error: ToolCallStreamError | TypeError | undefined;
  readonly reader: DeltaReader = new DeltaReader();

  #diagnostics: Diagnostics;
  #assembler: Assembler<Input>;
  #completion: CompletionBuilder<Input>;
  /** Whether only finished calls are wanted: then no other event is made. */
  #isCallsOnly: boolean;
  #eventCount = 0;
  /** What failed in the event that is being read: the rest of the event is read first. */
  #failure: ToolCallStreamError | undefined;
  /** Whether a delta of the event that is being read said that the response is over. */
  #isDone = false;
  #events: ChatStreamEvent<Input>[] = [];

  constructor(options: ResolvedOptions<Input>, isCallsOnly: boolean) {
    this.#isCallsOnly = isCallsOnly;
    this.#diagnostics = new Diagnostics(options.onDiagnostic);
    this.#assembler = new Assembler(options, this.#diagnostics, isCallsOnly);
    this.#completion = new CompletionBuilder(options.maxMessageLength);
  }

  /** The chat events that arose since the last time. */
  take(): ChatStreamEvent<Input>[] {
    const events = this.#events;
    this.#events = []; // Also behind an empty one: it is the caller's now.
    return events;
  }

  snapshot(): Completion<Input> {
    return this.#completion.build(this.reader.dialect, this.#diagnostics);
  }

  /**
   * Reads one event.
   *
   * @returns the deltas of an event that holds one payload, and nothing else
   */
  readPayloads(payloads: readonly Payload[], name?: string): readonly Delta[] {
    this.#nextEvent();
    let deltas: readonly Delta[] = [];
    for (const payload of payloads) {
      if (payload.type === "json") {
        for (const element of elementsOf(payload.value)) {
          if (this.#assembler.failure !== undefined) break;
          deltas = this.reader.read(element, name);
          for (const delta of deltas) this.#applyOne(delta);
        }
      } else if (payload.type !== "done") this.#readText(payload.type, payload.text);
    }
    this.#endEvent(payloads.some(({ type }) => type === "done"));
    return payloads.length === 1 ? deltas : [];
  }

  /** Reads one event of which the only delta is known. */
  readDelta(delta: KnownDelta): void {
    this.#nextEvent();
    this.#applyOne(delta);
    this.#endEvent(false);
  }

  /** The body has ended. */
  end(): void {
    if (!this.isEnded) this.#finish(false);
  }

  /** The response, or its source, has failed. */
  fail(error?: ToolCallStreamError | TypeError): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.error = error;
    this.#assembler.end(() => false);
    this.#collect();
  }

  #nextEvent(): void {
    this.#diagnostics.event = this.#eventCount;
    this.#eventCount += 1;
  }

  #endEvent(isDone: boolean): void {
    const failure = this.#failure ?? this.#assembler.failure;
    if (failure !== undefined) this.fail(failure);
    else if (isDone || this.#isDone) this.#finish(true);
  }

  /** @param isDone whether the response said that it is over */
  #finish(isDone: boolean): void {
    for (const delta of this.reader.end(isDone)) this.#applyOne(delta);
    const failure = this.#failure ?? this.#assembler.failure;
    if (failure !== undefined) {
      this.fail(failure);
      return;
    }
    this.isEnded = true;
    const isWhole = isDone && (this.reader.dialect?.endsWithDone ?? true);
    this.#assembler.end((choice) => this.#completion.isNormalEnd(choice, isWhole));
    this.#collect();
    this.error = this.#assembler.failure;
    if (isWhole || this.#completion.isFinished) return;
    this.error ??= new ToolCallStreamError(
      "truncated-response",
      "Cannot finish response: its body ended without a finish reason and without the end of one",
      { event: this.#eventCount },
    );
  }

  #readText(type: Exclude<Payload["type"], "json" | "done">, text: string): void {
    if (type === "cut") {
      this.#failure = new ToolCallStreamError(
        "truncated-response",
        "Cannot read response: its body is JSON that ends in the middle",
      );
    } else if (type === "unframed") {
      if (this.reader.dialect !== undefined) return;
      this.#failure ??= notAnEventStream(text);
    } else {
      if (type === "damaged") this.#assembler.damage();
      const severity = type === "damaged" ? "error" : "warning";
      this.#report(`${type}-event`, severity, `An event is ${type}: ${excerptOf(text)}`);
    }
  }

  #applyOne(delta: Delta): void {
    const { dialect } = this.reader;
    if (delta.type === "error") this.#failWith(delta.error);
    else if (dialect !== undefined) this.#apply(delta, dialect);
  }

  #apply(delta: Exclude<Delta, { type: "error" }>, dialect: WireDialect): void {
    if ("choice" in delta && !this.#completion.hasChoice(delta.choice)) {
      if (this.#completion.choiceCount >= MAX_CHOICES) {
        this.#failure ??= limitExceeded("choices", MAX_CHOICES, this.#diagnostics.event);
        return;
      }
      this.#completion.addChoice(delta.choice);
    }
    switch (delta.type) {
      case "text":
      case "reasoning":
      case "field":
        this.#addPart(delta, dialect);
        return;
      case "call":
        this.#assembler.apply(delta, dialect);
        this.#collect();
        return;
      case "choice":
      case "reference":
        return;
      case "finish":
        this.#completion.addFinishReason(
          delta.choice,
          delta.reason,
          dialect.isNormalReason(delta.reason),
        );
        this.#emit({ type: "finish", choice: delta.choice, reason: delta.reason });
        return;
      case "usage":
        this.#completion.usage = delta.usage;
        this.#emit({ type: "usage", usage: delta.usage });
        return;
      case "damage":
        this.#assembler.damageCall(delta.choice, delta.index);
        return;
      case "diagnostic":
        this.#report(delta.code, delta.severity, delta.message);
        return;
      default:
        this.#end(delta.isCut);
    }
  }

  #end(isCut: boolean): void {
    this.#isDone = true;
    if (!isCut) return;
    this.#failure ??= new ToolCallStreamError(
      "truncated-response",
      "Cannot finish response: another one began before its end",
      { event: this.#diagnostics.event },
    );
  }

  #addPart(delta: PartDelta, dialect: WireDialect): void {
    const wasLost = this.#completion.isMessageLost;
    if (!this.#completion.addPart(delta, dialect)) return;
    if (!wasLost && this.#completion.isMessageLost) {
      this.#report(
        "message-too-long",
        "error",
        "The text of the response is longer than maxMessageLength: its message is given up",
      );
    }
    if (delta.type === "field" || this.#isCallsOnly) return;
    const { type, value: text, choice } = delta;
    this.#events.push({ type, text, choice });
  }

  #failWith(provider: ProviderError): void {
    const what = provider.message ?? provider.type ?? provider.code ?? "no details";
    this.#failure ??= new ToolCallStreamError(
      "provider-error",
      `Cannot finish response: the server reported an error (${excerptOf(`${what}`)})`,
      { provider, event: this.#diagnostics.event },
    );
  }

  #report(code: DiagnosticCode, severity: "warning" | "error", message: string): void {
    const diagnostic = this.#diagnostics.add(code, severity, message);
    if (diagnostic !== undefined) this.#emit({ type: "diagnostic", diagnostic });
  }

  #emit(event: ChatStreamEvent<Input>): void {
    if (!this.#isCallsOnly) this.#events.push(event);
  }

  #collect(): void {
    for (const event of this.#assembler.take()) {
      if (event.type === "tool-call") this.#completion.addCall(event.call);
      this.#events.push(event);
    }
  }
}
