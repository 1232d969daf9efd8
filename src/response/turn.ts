import { Assembler } from "../calls/assembler.ts";
import { CompletionBuilder, MAX_CHOICES } from "./completion.ts";
import { elementsOf } from "../dialects/delta-reader.ts";
import type { Delta } from "../dialects/delta.ts";
import type { MessageDialect, Show } from "../dialects/dialect.ts";
import { MessageDeltaReader } from "../dialects/message-delta-reader.ts";
import {
  excerptOf,
  limitExceeded,
  notAnEventStream,
  type ProviderError,
  ToolCallStreamError,
} from "../errors.ts";
import { isTooDeep } from "../json/json-value.ts";
import type { ResolvedOptions } from "../options.ts";
import { Output } from "../calls/output.ts";
import type { Payload } from "../events/payloads.ts";
import type { ChatStreamEvent, Completion } from "../types.ts";

/**
 * One response: the payloads of its events → chat events.
 *
 * Decides when and how the response ends. The reader decides what a payload says, and the assembler
 * what becomes of calls.
 */
export class Turn<Input> {
  readonly reader: MessageDeltaReader = new MessageDeltaReader();

  #output: Output<Input>;
  #assembler: Assembler<Input>;
  #completion: CompletionBuilder<Input>;
  #isEnded = false;
  /** The choice of the part that is being read. */
  #choice = 0;
  /** Shows text of that part. */
  #show: Show = (type, text) => {
    if (!this.#output.isCallsOnly) this.#output.emit({ type, text, choice: this.#choice });
  };
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
   * @returns the deltas of all its payloads
   */
  readPayloads(
    payloads: readonly Payload[],
    name?: string,
    hasReplacedBytes = false,
  ): readonly Delta[] {
    this.#output.nextEvent(hasReplacedBytes);
    const deltas: Delta[] = [];
    for (const payload of payloads) {
      if (payload.type === "done") this.#isDone = true;
      else if (payload.type !== "json") this.#readText(payload.type, payload.text);
      else {
        for (const element of elementsOf(payload.value)) {
          if (this.#output.isStopped) break;
          for (const delta of this.reader.read(element, name)) {
            deltas.push(delta);
            this.#apply(delta);
          }
        }
      }
    }
    this.#endEvent();
    return deltas;
  }

  /**
   * Reads one event that holds this payload.
   *
   * @returns its deltas
   */
  readPayload(payload: unknown, name: string | undefined): readonly Delta[] {
    this.#output.nextEvent();
    const deltas = this.reader.read(payload, name);
    for (const delta of deltas) this.#apply(delta);
    this.#endEvent();
    return deltas;
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

  /** Nothing more comes, before the response has ended. */
  abort(): void {
    this.#isEnded = true;
    this.#assembler.end(() => "cut");
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
    const isUnproven = this.#assembler.end((choice) => this.#completion.endOf(choice, hasEnd));
    const isFinished = this.#completion.isFinished && !isUnproven;
    if (hasEnd || isFinished || this.#output.isStopped) return;
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
    if (delta.type === "error") this.#failWith(delta.error);
    else if ("choice" in delta && !this.#completion.openChoice(delta.choice)) {
      this.#output.exceed("choices", MAX_CHOICES);
      // Only an error is of no dialect.
    } else this.#applyKnown(delta, this.reader.dialect as MessageDialect);
  }

  #applyKnown(delta: Exclude<Delta, { type: "error" }>, dialect: MessageDialect): void {
    switch (delta.type) {
      case "text":
      case "reasoning":
      case "field": {
        this.#choice = delta.choice;
        const isNew =
          !this.#drops(delta.value) && this.#completion.addPart(delta, dialect.name, this.#show);
        if (!isNew || delta.type === "field") return;
        this.#completion.goOn(delta.choice);
        this.#show(delta.type, delta.value);
        return;
      }
      case "call": {
        const { news } = this.#assembler;
        const known = this.#drops(delta.extra) ? { ...delta, extra: undefined } : delta;
        this.#assembler.apply(known, dialect);
        if (this.#assembler.news > news) this.#completion.goOn(delta.choice);
        return;
      }
      case "choice":
      case "reference":
        return;
      case "finish":
        this.#completion.finish(delta.choice, delta.reason, dialect.isNormalReason(delta.reason));
        this.#output.emit(delta);
        return;
      case "usage":
        if (this.#drops(delta.usage)) return;
        this.#completion.usage = delta.usage;
        this.#output.emit(delta);
        return;
      case "response":
        if (!this.#drops(delta.fields)) this.#completion.addResponse(delta.fields);
        return;
      case "damage":
        this.#assembler.damageCall(delta.choice, delta.index);
        return;
      case "diagnostic":
        this.#output.report(delta.code, delta.message, true);
        return;
      default: {
        // Only this one is left: another one would not compile.
        const { isCut }: Extract<Delta, { type: "end" }> = delta;
        this.#isDone = true;
        if (!isCut) return;
        this.#truncate(
          "Cannot finish response: another one began before its end",
          this.#output.event,
        );
      }
    }
  }

  /** Whether a value is left out, since it could not be written or cloned. */
  #drops(value: unknown): boolean {
    const isDropped = isTooDeep(value);
    if (isDropped) this.#output.report("nested-too-deep", "A field is nested too deep", true);
    return isDropped;
  }

  #truncate(message: string, event?: number): void {
    this.#output.fail(new ToolCallStreamError("truncated-response", message, { event }));
  }

  #failWith(error: ProviderError): void {
    // What cannot be written is left out.
    const provider = isTooDeep(error.raw) ? { ...error, raw: undefined } : error;
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
