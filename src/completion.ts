import type { Diagnostics } from "./diagnostics.ts";
import type { MessageDraft, PartDelta, WireDialect } from "./dialects/dialect.ts";
import type { Completion, CompletionChoice, JsonObject, ToolCall } from "./types.ts";

class Choice<Input> {
  /** The message but for its calls. */
  draft: MessageDraft | undefined;
  readonly calls: ToolCall<Input>[] = [];
  finishReason: string | null = null;
  /** Whether every reason so far was a normal one; some servers send several. */
  hasNormalReasons = true;
}

/** What a response adds up to. */
export class CompletionBuilder<Input> {
  usage: JsonObject | undefined;

  #maxMessageLength: number;
  #choices = new Map<number, Choice<Input>>();
  #calls: ToolCall<Input>[] = [];
  #messageLength = 0;

  constructor(maxMessageLength: number) {
    this.#maxMessageLength = maxMessageLength;
  }

  get choiceCount(): number {
    return this.#choices.size;
  }

  hasChoice(number: number): boolean {
    return this.#choices.has(number);
  }

  /** Whether the message has grown beyond its limit and is given up. */
  get isMessageLost(): boolean {
    return this.#messageLength > this.#maxMessageLength;
  }

  addChoice(number: number): void {
    this.#choice(number);
  }

  /** @returns whether the delta says something new */
  addPart(delta: PartDelta, dialect: WireDialect): boolean {
    const choice = this.#choice(delta.choice);
    choice.draft ??= dialect.draftMessage();
    const growth = choice.draft.add(delta);
    if (growth === undefined) return false;
    this.#messageLength += growth;
    if (this.isMessageLost) for (const each of this.#choices.values()) each.draft = undefined;
    return true;
  }

  addCall(call: ToolCall<Input>): void {
    this.#calls.push(call);
    this.#choice(call.choice).calls.push(call);
  }

  addFinishReason(number: number, reason: string, isNormal: boolean): void {
    const choice = this.#choice(number);
    choice.finishReason ??= reason;
    choice.hasNormalReasons &&= isNormal;
  }

  /** Whether the choice ended normally, the response having been said to be done, or not. */
  isNormalEnd(number: number, isDone: boolean): boolean {
    const { finishReason, hasNormalReasons } = this.#choice(number);
    return finishReason === null ? isDone : hasNormalReasons;
  }

  /** Whether every choice has a finish reason; not so when there is none at all. */
  get isFinished(): boolean {
    const choices = [...this.#choices.values()];
    return choices.length > 0 && choices.every(({ finishReason }) => finishReason !== null);
  }

  build(dialect: WireDialect | undefined, diagnostics: Diagnostics): Completion<Input> {
    const choices = [...this.#choices]
      .sort(([a], [b]) => a - b)
      .map(([index, choice]) => this.#buildChoice(dialect, index, choice));
    const first = choices.find(({ index }) => index === 0);
    const completion = {
      message: first === undefined ? this.#message(dialect, new Choice()) : first.message,
      choices,
      toolCalls: this.#calls.slice(),
      finishReason: first?.finishReason ?? null,
      usage: this.usage,
      diagnostics: diagnostics.list.slice(),
      diagnosticCount: diagnostics.count,
      dialect: dialect?.name,
    };
    // The message is of the shape of the dialect that wrote it.
    return completion as Completion<Input>;
  }

  #choice(number: number): Choice<Input> {
    let choice = this.#choices.get(number);
    if (choice === undefined) {
      choice = new Choice();
      this.#choices.set(number, choice);
    }
    return choice;
  }

  #buildChoice(
    dialect: WireDialect | undefined,
    index: number,
    choice: Choice<Input>,
  ): CompletionChoice<Input> {
    const { finishReason, calls } = choice;
    const message = this.#message(dialect, choice);
    return { index, message, finishReason, toolCalls: calls.slice() };
  }

  #message(
    dialect: WireDialect | undefined,
    { draft = dialect?.draftMessage(), calls }: Choice<Input>,
  ): CompletionChoice["message"] {
    if (this.isMessageLost) return undefined;
    return draft?.write(calls.slice().sort((a, b) => a.index - b.index));
  }
}
