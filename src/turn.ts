import { Assembler } from "./assembler.ts";
import { CompletionBuilder } from "./completion.ts";
import { Diagnostics } from "./diagnostics.ts";
import { type Delta, detectDialect, type WireDialect } from "./dialects/dialect.ts";
import { excerptOf, limitExceeded, type ProviderError, ToolCallStreamError } from "./errors.ts";
import type { ResolvedOptions } from "./options.ts";
import { isForeignName, type Payload, readJsonBody, readPayloads } from "./payloads.ts";
import { isObject, readProviderError, toProviderError } from "./provider-error.ts";
import { Shortcut } from "./shortcut.ts";
import type { SseEvent } from "./sse.ts";
import type { ChatStreamEvent, Completion } from "./types.ts";

/** More choices than anyone asks for: a server must not fill the memory with them. */
const MAX_CHOICES = 1024;

/**
 * One response: events → chat events.
 *
 * Decides what an event is, when the response ends and how; the calls are the assembler's.
 */
export class Turn<Input> {
  /** Whether the response is over, so that nothing more is read. */
  isEnded = false;
  /** Why the response failed, once it is over. */
  error: ToolCallStreamError | TypeError | undefined;

  #shortcut = new Shortcut();
  #diagnostics: Diagnostics;
  #assembler: Assembler<Input>;
  #completion: CompletionBuilder<Input>;
  /** Whether only finished calls are wanted: then no other event is made. */
  #isCallsOnly: boolean;
  /** The first payload of a known shape decides. */
  #dialect: WireDialect | undefined;
  #eventCount = 0;
  /** What failed in the event that is being read: the rest of the event is read first. */
  #failure: ToolCallStreamError | undefined;
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
    return this.#completion.build(this.#dialect, this.#diagnostics);
  }

  readEvent(event: SseEvent): void {
    if (this.isEnded) return;
    this.#nextEvent();
    if (event.kind === "body") {
      this.#readBody(event.data);
      return;
    }
    const delta = this.#shortcut.read(event.data);
    if (delta !== undefined && this.#dialect !== undefined) {
      this.#apply(delta, this.#dialect);
      this.#endEvent(false);
      return;
    }
    const payloads = readPayloads(event);
    let isDone = false;
    for (const payload of payloads) {
      if (payload.type === "done") isDone = true;
      else this.#readPayload(payload, event.name, payloads.length === 1 ? event.data : undefined);
    }
    this.#endEvent(isDone);
  }

  /** Reads a chunk that someone else has parsed. */
  readValue(value: unknown): void {
    this.#nextEvent();
    this.#readJson(value, undefined);
    this.#endEvent(false);
  }

  /** The body has ended. */
  end(): void {
    if (this.isEnded) return;
    this.#finish(false);
    if (this.#completion.isFinished) return;
    this.error ??= new ToolCallStreamError(
      "truncated-response",
      "Cannot finish response: its body ended without a finish reason and without [DONE]",
      { event: this.#eventCount },
    );
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
    else if (isDone) this.#finish(true);
  }

  #finish(isDone: boolean): void {
    this.isEnded = true;
    this.#assembler.end((choice) => this.#completion.isNormalEnd(choice, isDone));
    this.#collect();
    this.error = this.#assembler.failure;
  }

  #readBody(body: string): void {
    const json = readJsonBody(body);
    if (json === "cut") {
      this.#failure = new ToolCallStreamError(
        "truncated-response",
        "Cannot read response: its body is JSON that ends in the middle",
      );
    } else if (json !== "foreign") this.#readJson(json.value, undefined);
    if (this.#failure === undefined && this.#dialect === undefined) {
      const excerpt = excerptOf(body);
      this.#failure = new ToolCallStreamError(
        "not-an-event-stream",
        `Cannot read response: its body is neither an event stream nor a completion ("${excerpt}")`,
        { excerpt },
      );
    }
    // A value that has closed is whole, whether or not it brought a finish reason.
    this.#endEvent(true);
  }

  #readPayload(
    payload: Exclude<Payload, { type: "done" }>,
    name: string | undefined,
    text: string | undefined,
  ): void {
    switch (payload.type) {
      case "json":
        this.#readJson(payload.value, name, text);
        return;
      case "damage":
        this.#assembler.damage();
        this.#report(
          "damaged-event",
          "error",
          `An event is not JSON and was lost: ${excerptOf(payload.text)}`,
        );
        return;
      case "reframed":
        this.#report(
          "reframed-event",
          "warning",
          `An event held several frames, or a second prefix: ${excerptOf(payload.text)}`,
        );
        return;
      default:
        this.#report(
          "unfinished-event",
          "warning",
          `The body ended inside of an event: ${excerptOf(payload.text)}`,
        );
    }
  }

  #readJson(value: unknown, name: string | undefined, text?: string): void {
    if (Array.isArray(value)) for (const element of value) this.#readPayloadObject(element, name);
    else this.#readPayloadObject(value, name, text);
  }

  /** @param text where the payload is all of an event: what the next ones may be like */
  #readPayloadObject(value: unknown, name: string | undefined, text?: string): void {
    if (!isObject(value)) return;
    this.#dialect ??= detectDialect(value);
    if (this.#dialect?.matches(value)) {
      const deltas = this.#dialect.read(value);
      if (text !== undefined) this.#shortcut.learn(text, deltas, this.#dialect);
      for (const delta of deltas) this.#apply(delta, this.#dialect);
      return;
    }
    // A foreign event may well report an error of its own.
    if (isForeignName(name)) return;
    const isError = name === "error" || value["object"] === "error";
    const error = readProviderError(value) ?? (isError ? toProviderError(value) : undefined);
    if (error !== undefined) this.#failWith(error);
  }

  #apply(delta: Delta, dialect: WireDialect): void {
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
        this.#addText(delta);
        return;
      case "call":
        this.#assembler.apply(delta, dialect.name);
        this.#collect();
        return;
      case "choice":
        return;
      case "finish":
        this.#completion.addFinishReason(delta.choice, delta.reason);
        this.#emit({ type: "finish", choice: delta.choice, reason: delta.reason });
        return;
      case "usage":
        this.#completion.usage = delta.usage;
        this.#emit({ type: "usage", usage: delta.usage });
        return;
      default:
        this.#failWith(delta.error);
    }
  }

  #addText({ type, choice, field, text, isWhole }: Extract<Delta, { field: string }>): void {
    const wasLost = this.#completion.isMessageLost;
    if (!this.#completion.addText(choice, field, text, isWhole)) return;
    if (!wasLost && this.#completion.isMessageLost) {
      this.#report(
        "message-too-long",
        "error",
        "The text of the response is longer than maxMessageLength: its message is given up",
      );
    }
    if (type !== "field" && !this.#isCallsOnly) this.#events.push({ type, text, choice });
  }

  #failWith(provider: ProviderError): void {
    const what = provider.message ?? provider.type ?? provider.code ?? "no details";
    this.#failure ??= new ToolCallStreamError(
      "provider-error",
      `Cannot finish response: the server reported an error (${excerptOf(`${what}`)})`,
      { provider, event: this.#diagnostics.event },
    );
  }

  #report(
    code: "damaged-event" | "reframed-event" | "unfinished-event" | "message-too-long",
    severity: "warning" | "error",
    message: string,
  ): void {
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
