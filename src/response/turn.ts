import { Assembler } from "../calls/assembler.ts";
import { CompletionBuilder, MAX_CHOICES } from "./completion.ts";
import { DeltaReader, elementsOf } from "../dialects/delta-reader.ts";
import type { Delta } from "../dialects/delta.ts";
import type { ResponseDialect } from "../dialects/dialect.ts";
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
 * One response: the payloads of its events → chat events.
 *
 * Decides when and how the response ends. The reader decides what a payload says, and the assembler
 * what becomes of calls.
 */
export class Turn<Input> {
  readonly reader: DeltaReader = new DeltaReader();

  #output: Output<Input>;
  #assembler: Assembler<Input>;
  #completion: CompletionBuilder<Input>;
  #isEnded = false;
  /** Whether the current event says that the response is over. */
  #isDone = false;

  constructor(options: ResolvedOptions<Input>, isCallsOnly: boolean) {
    this.#output = new Output(options.onDiagnostic, isCallsOnly);
    this.#assembler = new Assembler(options, this.#output);
    this.#completion = new CompletionBuilder(options.maxMessageLength, this.#output);
  }

  /** Whether the response is over, so that nothing more is read. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Why the response failed, once it is over. */
  get error(): ToolCallStreamError | TypeError | undefined {
    const { failure, event } = this.#output;
    if (!this.#isEnded || failure === undefined) return undefined;
    return failure instanceof Error ? failure : limitExceeded(failure.name, failure.value, event);
  }

  /** The chat events since the last time. */
  take(): ChatStreamEvent<Input>[] {
    return this.#output.take();
  }

  snapshot(): Completion<Input> {
    return this.#completion.build(this.reader.dialect?.name, this.reader.lastFields);
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
          if (this.#output.isStopped) break;
          deltas = this.reader.read(element, name);
          for (const delta of deltas) this.#apply(delta);
        }
      }
    }
    this.#endEvent();
    return payloads.length === 1 ? deltas : [];
  }

  /** Reads one event whose only delta is known. */
  readDelta(delta: KnownDelta): void {
    this.#output.nextEvent();
    this.#apply(delta);
    this.#endEvent();
  }

  /** The body has ended. */
  end(): void {
    if (!this.#isEnded) this.#finish();
  }

  /** No more of the body can be read. */
  fail(error: ToolCallStreamError | TypeError): void {
    if (this.#isEnded) return;
    this.#output.fail(error);
    this.abort();
  }

  /** The next event is longer than is allowed. */
  exceedEvent(maxEventLength: number): void {
    this.fail(limitExceeded("maxEventLength", maxEventLength, this.#output.event + 1));
  }

  /** Nothing more comes. */
  abort(): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#assembler.end(() => false);
  }

  #endEvent(): void {
    if (this.#output.failure !== undefined) this.abort();
    else if (this.#isDone) this.#finish();
  }

  #finish(): void {
    for (const delta of this.reader.end(this.#isDone)) this.#apply(delta);
    if (this.#output.failure !== undefined) return this.abort();
    this.#isEnded = true;
    const hasEnd = this.#isDone && (this.reader.dialect?.endsWithDone ?? true);
    this.#assembler.end((choice) => this.#completion.isNormalEnd(choice, hasEnd));
    if (hasEnd || this.#completion.isFinished || this.#output.isStopped) return;
    const how = "its body ended without a finish reason and without the end of one";
    this.#truncate(`Cannot finish response: ${how}`, this.#output.event + 1);
  }

  #readText(kind: Exclude<Payload["type"], "json" | "done">, text: string): void {
    if (kind === "cut")
      this.#truncate("Cannot read response: its body is JSON that ends in the middle");
    else if (kind !== "unframed") {
      const isLoss = kind === "damaged-event";
      if (isLoss) this.#assembler.damage();
      const how = kind.replace("-event", "");
      this.#output.report(kind, `An event is ${how}: ${excerptOf(text)}`, isLoss);
    } else if (this.reader.dialect === undefined) this.#output.fail(notAnEventStream(text));
  }

  #apply(delta: Delta): void {
    const { dialect } = this.reader;
    if (delta.type === "error") this.#failWith(delta.error);
    else if (dialect === undefined) return;
    else if ("choice" in delta && !this.#completion.openChoice(delta.choice)) {
      this.#output.exceed("choices", MAX_CHOICES);
    } else this.#applyKnown(delta, dialect);
  }

  #applyKnown(delta: Exclude<Delta, { type: "error" }>, dialect: ResponseDialect): void {
    switch (delta.type) {
      case "text":
      case "reasoning":
      case "field": {
        const { choice } = delta;
        const isNew = this.#completion.addPart(delta, dialect.name, (type, text) =>
          this.#output.emit({ type, text, choice }),
        );
        if (!isNew || delta.type === "field" || this.#output.isCallsOnly) return;
        const { type, value: text } = delta;
        this.#output.emit({ type, text, choice });
        return;
      }
      case "call":
        this.#assembler.apply(delta, dialect);
        return;
      case "choice":
      case "reference":
        return;
      case "finish":
        this.#completion.finish(delta.choice, delta.reason, dialect.isNormalReason(delta.reason));
        this.#output.emit(delta);
        return;
      case "usage":
        this.#completion.usage = delta.usage;
        this.#output.emit(delta);
        return;
      case "response":
        this.#completion.addResponse(delta.fields);
        return;
      case "damage":
        this.#assembler.damageCall(delta.choice, delta.index);
        return;
      case "diagnostic":
        this.#output.report(delta.code, delta.message, true);
        return;
      case "end":
        this.#isDone = true;
        if (!delta.isCut) return;
        this.#truncate(
          "Cannot finish response: another one began before its end",
          this.#output.event,
        );
        return;
      default:
        delta satisfies never;
    }
  }

  #truncate(message: string, event?: number): void {
    this.#output.fail(new ToolCallStreamError("truncated-response", message, { event }));
  }

  #failWith(provider: ProviderError): void {
    const what = provider.message ?? provider.type ?? provider.code ?? "no details";
    this.#output.fail(
      new ToolCallStreamError(
        "provider-error",
        `Cannot finish response: the server reported an error (${excerptOf(`${what}`)})`,
        { provider, event: this.#output.event },
      ),
    );
  }
}
