import { Assembler } from "../calls/assembler.ts";
import { CompletionBuilder, MAX_CHOICES } from "./completion.ts";
import { DeltaReader, elementsOf } from "../dialects/delta-reader.ts";
import type { Delta, WireDialect } from "../dialects/dialect.ts";
import {
  excerptOf,
  limitExceeded,
  notAnEventStream,
  type ProviderError,
  ToolCallStreamError,
} from "../errors.ts";
import type { ResolvedOptions } from "../options.ts";
import { Output } from "../calls/output.ts";
import type { Payload } from "../events/payloads.ts";
import type { KnownDelta } from "./shortcut.ts";
import type { ChatStreamEvent, Completion } from "../types.ts";

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

  #output: Output<Input>;
  #assembler: Assembler<Input>;
  #completion: CompletionBuilder<Input>;
  /** What failed in the event that is being read; unlike behind a limit, the rest of it is read first. */
  #failure: ToolCallStreamError | undefined;
  /** Whether the event that is being read said that the response is over. */
  #isDone = false;

  constructor(options: ResolvedOptions<Input>, isCallsOnly: boolean) {
    this.#output = new Output(options.onDiagnostic, isCallsOnly);
    this.#assembler = new Assembler(options, this.#output);
    this.#completion = new CompletionBuilder(options.maxMessageLength, this.#output);
  }

  /** The chat events that arose since the last time. */
  take(): ChatStreamEvent<Input>[] {
    return this.#output.take();
  }

  snapshot(): Completion<Input> {
    return this.#completion.build(this.reader.dialect);
  }

  /**
   * Reads one event.
   *
   * @returns the deltas of an event that holds one payload, and nothing else
   */
  readPayloads(payloads: readonly Payload[], name?: string): readonly Delta[] {
    this.#output.nextEvent();
    let deltas: readonly Delta[] = [];
    for (const payload of payloads) {
      if (payload.type === "done") this.#isDone = true;
      else if (payload.type !== "json") this.#readText(payload.type, payload.text);
      else {
        for (const element of elementsOf(payload.value)) {
          if (this.#output.failure !== undefined) break;
          deltas = this.reader.read(element, name);
          for (const delta of deltas) this.#apply(delta);
        }
      }
    }
    this.#endEvent();
    return payloads.length === 1 ? deltas : [];
  }

  /** Reads one event of which the only delta is known. */
  readDelta(delta: KnownDelta): void {
    this.#output.nextEvent();
    this.#apply(delta);
    this.#endEvent();
  }

  /** The body has ended. */
  end(): void {
    if (!this.isEnded) this.#finish();
  }

  /** The response, or its source, has failed. */
  fail(error?: ToolCallStreamError | TypeError): void {
    if (this.isEnded) return;
    this.isEnded = true;
    this.error = error;
    this.#assembler.end(() => false);
  }

  #endEvent(): void {
    if (!this.#endFailed() && this.#isDone) this.#finish();
  }

  /** Ends the response where something in the event has failed. @returns whether it has */
  #endFailed(): boolean {
    const failure = this.#failure ?? this.#output.failure;
    if (failure !== undefined) this.fail(failure);
    return failure !== undefined;
  }

  #finish(): void {
    const isDone = this.#isDone;
    for (const delta of this.reader.end(isDone)) this.#apply(delta);
    if (this.#endFailed()) return;
    this.isEnded = true;
    const isWhole = isDone && (this.reader.dialect?.endsWithDone ?? true);
    this.#assembler.end((choice) => this.#completion.isNormalEnd(choice, isWhole));
    this.error = this.#output.failure;
    if (isWhole || this.#completion.isFinished) return;
    this.error ??= new ToolCallStreamError(
      "truncated-response",
      "Cannot finish response: its body ended without a finish reason and without the end of one",
      { event: this.#output.event + 1 },
    );
  }

  #readText(type: Exclude<Payload["type"], "json" | "done">, text: string): void {
    if (type === "cut") {
      this.#failure = new ToolCallStreamError(
        "truncated-response",
        "Cannot read response: its body is JSON that ends in the middle",
      );
    } else if (type !== "unframed") {
      const isLoss = type === "damaged";
      if (isLoss) this.#assembler.damage();
      this.#output.report(`${type}-event`, `An event is ${type}: ${excerptOf(text)}`, isLoss);
    } else if (this.reader.dialect === undefined) this.#failure ??= notAnEventStream(text);
  }

  #apply(delta: Delta): void {
    const { dialect } = this.reader;
    if (delta.type === "error") this.#failWith(delta.error);
    else if (dialect === undefined) return;
    else if ("choice" in delta && !this.#completion.openChoice(delta.choice)) {
      this.#failure ??= limitExceeded("choices", MAX_CHOICES, this.#output.event);
    } else this.#applyKnown(delta, dialect);
  }

  #applyKnown(delta: Exclude<Delta, { type: "error" }>, dialect: WireDialect): void {
    switch (delta.type) {
      case "text":
      case "reasoning":
      case "field": {
        const isNew = this.#completion.addPart(delta, dialect);
        if (!isNew || delta.type === "field" || this.#output.isCallsOnly) return;
        const { type, value: text, choice } = delta;
        this.#output.emit({ type, text, choice });
        return;
      }
      case "call":
        this.#assembler.apply(delta, dialect);
        return;
      case "choice":
      case "reference":
        return;
      case "finish": {
        const { type, choice, reason } = delta;
        this.#completion.addFinishReason(choice, reason, dialect.isNormalReason(reason));
        this.#output.emit({ type, choice, reason });
        return;
      }
      case "usage":
        this.#completion.usage = delta.usage;
        this.#output.emit(delta);
        return;
      case "damage":
        this.#assembler.damageCall(delta.choice, delta.index);
        return;
      case "diagnostic":
        this.#output.report(delta.code, delta.message, true);
        return;
      default:
        this.#isDone = true;
        if (!delta.isCut) return;
        this.#failure ??= new ToolCallStreamError(
          "truncated-response",
          "Cannot finish response: another one began before its end",
          { event: this.#output.event },
        );
    }
  }

  #failWith(provider: ProviderError): void {
    const what = provider.message ?? provider.type ?? provider.code ?? "no details";
    this.#failure ??= new ToolCallStreamError(
      "provider-error",
      `Cannot finish response: the server reported an error (${excerptOf(`${what}`)})`,
      { provider, event: this.#output.event },
    );
  }
}
