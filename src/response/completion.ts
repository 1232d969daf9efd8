import type { ChoiceEnd } from "../calls/outcome.ts";
import type { Output } from "../calls/output.ts";
import type { PartDelta } from "../dialects/delta.ts";
import type { MessageDraft, Show } from "../dialects/dialect.ts";
import { draftMessage } from "../dialects/drafts.ts";
import { jsonText } from "../json/json-value.ts";
import type { JsonObject } from "../json/object.ts";
import type { Completion, CompletionChoice, Dialect, ToolCall } from "../types.ts";

/** More choices than anyone asks for: a server must not fill the memory with them. */
export const MAX_CHOICES = 1024;

/** One choice of a response, its calls aside. */
interface Choice {
  draft: MessageDraft | undefined;
  /** The first one that came. */
  finishReason: string | null;
  /** Whether every reason so far was a normal one; some servers send several. */
  hasNormalReasons: boolean;
  /** The number of the event with the first one. */
  reasonEvent: number | undefined;
  /** Whether a later event brought more of the choice, so that its reasons prove no end. */
  isDisproved: boolean;
}

/** Builds the completion of a response: its choices, how each ended, and their messages. */
export class CompletionBuilder<Input> {
  usage: JsonObject | undefined;

  #output: Output<Input>;
  #choices = new Map<number, Choice>();
  #response = new Map<string, unknown>();
  #maxMessageLength: number;
  #messageLength = 0;

  constructor(maxMessageLength: number, output: Output<Input>) {
    this.#maxMessageLength = maxMessageLength;
    this.#output = output;
  }

  /** Takes what the server says of the response itself: the last present value of a field wins. */
  addResponse(fields: JsonObject): void {
    for (const field in fields) {
      const value = fields[field];
      const before = this.#response.get(field);
      if (value === null || value === undefined || value === "" || value === before) continue;
      const length = jsonText(value).length;
      this.#grow(length - (this.#response.has(field) ? jsonText(before).length : -field.length));
      if (!this.#isMessageLost) this.#response.set(field, value);
    }
  }

  /** Whether every choice has a finish reason, and there is a choice. */
  get isFinished(): boolean {
    const choices = [...this.#choices.values()];
    return choices.length > 0 && choices.every(({ finishReason }) => finishReason !== null);
  }

  /** @returns whether there is room for the choice */
  openChoice(number: number): boolean {
    if (!this.#choices.has(number) && this.#choices.size >= MAX_CHOICES) return false;
    this.#choice(number);
    return true;
  }

  /** @param isNormal whether the model stopped of its own accord */
  finish(number: number, reason: string, isNormal: boolean): void {
    const choice = this.#choice(number);
    choice.finishReason ??= reason;
    choice.hasNormalReasons &&= isNormal;
    choice.reasonEvent ??= this.#output.event;
  }

  /**
   * The event that is being read has brought more of the choice. Some proxies send a finish reason with
   * every event: behind such a reason it proves nothing.
   */
  goOn(number: number): void {
    const choice = this.#choice(number);
    const { reasonEvent = this.#output.event } = choice;
    choice.isDisproved ||= reasonEvent < this.#output.event;
  }

  /** @param isDone whether the response was said to be done, which counts where no reason does */
  endOf(number: number, isDone: boolean): ChoiceEnd {
    const { finishReason, hasNormalReasons, isDisproved } = this.#choice(number);
    if (!hasNormalReasons) return "cut";
    return isDone || (finishReason !== null && !isDisproved) ? "normal" : "unproven";
  }

  /** @returns whether the delta says something new */
  addPart(delta: PartDelta, dialect: Dialect, show: Show): boolean {
    const choice = this.#choice(delta.choice);
    choice.draft ??= draftMessage(dialect);
    const growth = choice.draft.add(delta, show);
    if (growth === undefined) return false;
    this.#grow(growth);
    return true;
  }

  /** @param lastFields fields of the response that change with each event */
  build(dialect: Dialect | undefined, lastFields?: JsonObject): Completion<Input> {
    const { calls, diagnostics, diagnosticCount } = this.#output;
    const choices = [...this.#choices]
      .sort(([a], [b]) => a - b)
      .map(([index, { draft, finishReason }]): CompletionChoice<Input> => {
        const toolCalls = calls.filter(({ choice }) => choice === index);
        return { index, message: this.#write(dialect, toolCalls, draft), finishReason, toolCalls };
      });
    const first = choices.find(({ index }) => index === 0);
    const completion = {
      message: first === undefined ? this.#write(dialect, []) : first.message,
      choices,
      toolCalls: calls.slice(),
      finishReason: first?.finishReason ?? null,
      usage: this.usage,
      response: {
        ...Object.fromEntries(this.#response),
        ...(!this.#isMessageLost && lastFields),
      },
      diagnostics: diagnostics.slice(),
      diagnosticCount,
      dialect,
    };
    // The message has the shape of its dialect.
    return completion as Completion<Input>;
  }

  /** Whether the message has grown beyond its limit and is given up. */
  get #isMessageLost(): boolean {
    return this.#messageLength > this.#maxMessageLength;
  }

  #grow(length: number): void {
    const wasLost = this.#isMessageLost;
    this.#messageLength += length;
    if (!this.#isMessageLost) return;
    for (const each of this.#choices.values()) each.draft = undefined;
    this.#response.clear();
    if (wasLost) return;
    const message =
      "The text of the response is longer than maxMessageLength: its message is given up";
    this.#output.report("message-too-long", message, true);
  }

  #choice(number: number): Choice {
    let choice = this.#choices.get(number);
    if (choice === undefined) {
      choice = {
        draft: undefined,
        finishReason: null,
        hasNormalReasons: true,
        reasonEvent: undefined,
        isDisproved: false,
      };
      this.#choices.set(number, choice);
    }
    return choice;
  }

  #write(
    dialect: Dialect | undefined,
    calls: readonly ToolCall<Input>[],
    draft: MessageDraft | undefined = dialect && draftMessage(dialect),
  ): CompletionChoice["message"] {
    if (this.#isMessageLost) return undefined;
    return draft?.write(calls.slice().sort((a, b) => a.index - b.index));
  }
}
