import { unwrapped } from "./argument-text.ts";
import { Call, type Outcome } from "./call.ts";
import { Correlation } from "./correlation.ts";
import type { Diagnostics } from "./diagnostics.ts";
import type { CallDelta } from "./dialects/dialect.ts";
import { excerptOf, ToolCallStreamError } from "./errors.ts";
import { canonicalJson } from "./json-value.ts";
import type { ResolvedOptions } from "./options.ts";
import type { ChatStreamEvent, Diagnostic, Dialect, ToolCall } from "./types.ts";

/** The calls of one choice. */
class ChoiceCalls {
  readonly correlation = new Correlation<Call>();
  /** How many there are: the position of the next. */
  count = 0;
  /** Those that came out with arguments, by id and name: a copy is one of the same arguments. */
  readonly settled = new Map<string, Call[]>();
}

/** Deltas → calls. Owns every call of one response, and all that is known of it. */
export class Assembler<Input> {
  /** Why no more deltas can be taken. */
  failure: ToolCallStreamError | TypeError | undefined;

  #options: ResolvedOptions<Input>;
  #diagnostics: Diagnostics;
  /** Whether only finished calls are wanted: then no other event is made. */
  #isCallsOnly: boolean;
  #choices = new Map<number, ChoiceCalls>();
  /** In order of first appearance. */
  #calls: Call[] = [];
  #ids = new Set<string>();
  /** Whether an event was lost: then no late object can be trusted to be a call. */
  #isDamaged = false;
  /** With `eager: false`, the finished calls that wait for the end. */
  #waiting: ChatStreamEvent<Input>[] = [];
  /** The events since the last {@link take}. */
  #events: ChatStreamEvent<Input>[] = [];

  constructor(options: ResolvedOptions<Input>, diagnostics: Diagnostics, isCallsOnly: boolean) {
    this.#options = options;
    this.#diagnostics = diagnostics;
    this.#isCallsOnly = isCallsOnly;
  }

  /** The events that arose since the last time. */
  take(): ChatStreamEvent<Input>[] {
    const events = this.#events;
    if (events.length > 0) this.#events = [];
    return events;
  }

  apply(delta: CallDelta, dialect: Dialect): void {
    const { correlation } = this.#choice(delta.choice);
    const call = correlation.find(delta) ?? this.#open(delta.choice, dialect);
    if (call === undefined) return;

    const isNewId = delta.id !== undefined && !correlation.knows(delta.id);
    correlation.assign(delta, call);
    this.#grow(call, (isNewId ? (delta.id?.length ?? 0) : 0) + delta.fragment.length);
    call.providerId ??= delta.id;
    if (delta.isCustom && !call.hasText) call.type = "custom";
    if (delta.extra !== undefined) {
      const before = call.extra === undefined ? 0 : JSON.stringify(call.extra).length;
      call.extra = { ...call.extra, ...delta.extra };
      this.#grow(call, JSON.stringify(call.extra).length - before);
    }
    if (delta.name !== undefined && delta.name !== call.name) {
      this.#grow(call, delta.name.length);
      call.addName(delta.name);
    }
    if (call.size > this.#options.maxArgumentsLength) return;

    if (call.name !== "" && !call.isStarted) this.#start(call);
    if (delta.fragment !== "") {
      const { taken, hasReplaced } = call.append(delta.fragment);
      if (hasReplaced) {
        call.unshown = "";
        this.#report(
          "replaced-placeholder",
          "warning",
          `${call.name} was sent empty arguments, then others: the first were a placeholder`,
          call,
        );
      }
      if (!this.#isCallsOnly) this.#show(call, taken);
    }
    if (call.isReady) this.#settle(call, false);
    if (call.isSettled) this.#readLate(call);
  }

  /** An event was lost: what is open may miss a fragment. */
  damage(): void {
    this.#isDamaged = true;
    for (const call of this.#calls) {
      if (!call.isSettled && !call.isReady) call.isDamaged = true;
    }
  }

  /** The response has ended: every call that is still here comes out, complete or not. */
  end(isNormalEnd: (choice: number) => boolean): void {
    for (const call of this.#calls.slice()) {
      if (call.isSettled) continue;
      this.#settle(call, isNormalEnd(call.choice));
      this.#readLate(call);
    }
    for (const call of this.#calls) {
      const { rest } = call.late;
      if (rest === "") continue;
      // An object that never closed may have been a call.
      this.#report(
        "late-text",
        rest.startsWith("{") ? "error" : "warning",
        `Text behind the arguments of ${call.name} was dropped: ${excerptOf(rest)}`,
        call,
      );
    }
    this.#events.push(...this.#waiting);
    this.#waiting = [];
  }

  #choice(number: number): ChoiceCalls {
    let choice = this.#choices.get(number);
    if (choice === undefined) {
      choice = new ChoiceCalls();
      this.#choices.set(number, choice);
    }
    return choice;
  }

  #open(number: number, dialect: Dialect): Call | undefined {
    if (this.#calls.length >= this.#options.maxToolCalls) {
      this.#exceed("maxToolCalls", "response", "it names more calls");
      return undefined;
    }
    const id = this.#mint();
    if (id === undefined) return undefined;
    const choice = this.#choice(number);
    const call = new Call(id, dialect, number, choice.count);
    choice.count += 1;
    this.#calls.push(call);
    return call;
  }

  #mint(): string | undefined {
    let id: unknown;
    try {
      id = this.#options.generateId();
    } catch (cause) {
      this.failure ??= new TypeError("Cannot mint an id: generateId threw", { cause });
      return undefined;
    }
    if (typeof id !== "string" || id === "" || this.#ids.has(id)) {
      this.failure ??= new TypeError(
        `Cannot mint an id: generateId returned ${id === "" || typeof id !== "string" ? "no id" : `"${excerptOf(id)}" twice`}`,
      );
      return undefined;
    }
    this.#ids.add(id);
    return id;
  }

  #grow(call: Call, characters: number): void {
    call.size += characters;
    if (call.size <= this.#options.maxArgumentsLength) return;
    this.#exceed("maxArgumentsLength", `call ${call.name}`, "it is longer");
  }

  #exceed(name: "maxToolCalls" | "maxArgumentsLength", what: string, how: string): void {
    const value = this.#options[name];
    this.failure ??= new ToolCallStreamError(
      "limit-exceeded",
      `Cannot read ${what}: ${how} than ${name} (${value})`,
      { limit: { name, value }, event: this.#diagnostics.event },
    );
  }

  #start(call: Call): void {
    call.isStarted = true;
    if (this.#isCallsOnly) return;
    const { id, name, choice, index } = call;
    this.#events.push({ type: "tool-call-start", id, name, choice, index });
  }

  #show(call: Call, fragment: string): void {
    call.unshown += fragment;
    if (call.unshown === "" || !call.isShowable) return;
    this.#events.push({ type: "tool-call-delta", id: call.id, fragment: call.unshown });
    call.unshown = "";
    call.isShown = true;
  }

  #settle(call: Call, isNormalEnd: boolean): void {
    const outcome = call.outcome(this.#options.parseArguments, isNormalEnd);
    call.isSettled = true;
    call.settledText = outcome.arguments;
    const original = this.#originalOf(call, outcome);
    if (original !== undefined) {
      this.#report(
        "repeated-call",
        "warning",
        `${call.id} repeats ${original.id} (same id, name and arguments) and was dropped`,
        call,
      );
      return;
    }
    if (outcome.status === "complete" && call.isRepaired) {
      this.#report(
        "repaired-arguments",
        "warning",
        `The arguments of ${call.name} were sent more than once or encoded twice`,
        call,
      );
    }
    if (!this.#isCallsOnly) this.#showRest(call, outcome);
    const event: ChatStreamEvent<Input> = {
      type: "tool-call",
      call: this.#toolCall(call, outcome),
    };
    (this.#options.eager ? this.#events : this.#waiting).push(event);
  }

  /** Start and fragments that had to wait until the call came out. */
  #showRest(call: Call, outcome: Outcome<Input>): void {
    if (!call.isStarted) this.#start(call);
    const fragment = call.isShown ? call.unshown : outcome.arguments;
    if (fragment !== "") {
      this.#events.push({ type: "tool-call-delta", id: call.id, fragment });
    }
  }

  #toolCall(call: Call, outcome: Outcome<Input>): ToolCall<Input> {
    const { id, providerId, name, type, choice, index, dialect, extra } = call;
    const base = { id, providerId, type, name, arguments: outcome.arguments };
    const rest = { choice, index, dialect, extra };
    const end =
      outcome.status === "complete"
        ? { status: outcome.status, input: outcome.input, error: undefined }
        : { status: outcome.status, input: undefined, error: outcome.error };
    // Call.outcome gives a custom call its text and a function call what parseArguments made.
    return { ...base, ...end, ...rest } as ToolCall<Input>;
  }

  /** The call of which this is a copy: servers have sent one call at several indices. */
  #originalOf(call: Call, outcome: Outcome<Input>): Call | undefined {
    if (outcome.status === "incomplete" && outcome.error.code !== "rejected") return undefined;
    if (call.providerId === undefined) return undefined;
    const { settled } = this.#choice(call.choice);
    const key = JSON.stringify([call.providerId, call.name, call.type]);
    const others = settled.get(key);
    if (others === undefined) {
      settled.set(key, [call]);
      return undefined;
    }
    const original = others.find((other) => other.value === call.value);
    if (original === undefined) others.push(call);
    return original;
  }

  /** Judges what has come behind the arguments of a call that is out. */
  #readLate(call: Call): void {
    for (const text of call.late.take()) {
      const value = canonicalJson(unwrapped(text) ?? text);
      call.lineage ??= new Set([call.value]);
      if (call.lineage.has(value)) {
        this.#report(
          "repeated-arguments",
          "warning",
          `The arguments of ${call.name} were sent again and dropped`,
          call,
        );
      } else if (text.startsWith("{") && value !== "{}" && !this.#isDamaged) {
        this.#openFurther(call, text, value);
      } else {
        // An empty object is a placeholder that came late; anything else may have been a call.
        this.#report(
          this.#isDamaged && value !== "{}" ? "lost-call" : "late-text",
          value === "{}" ? "warning" : "error",
          `A value behind the arguments of ${call.name} was dropped: ${excerptOf(text)}`,
          call,
        );
      }
    }
  }

  /** A different object behind the arguments of a call is a further call of the same name. */
  #openFurther(call: Call, text: string, value: string): void {
    const further = this.#open(call.choice, call.dialect);
    if (further === undefined) return;
    call.lineage?.add(value);
    further.providerId = call.providerId;
    further.name = call.name;
    this.#report(
      "further-call",
      "warning",
      `${call.name} was sent two objects as its arguments: the second is a call of its own`,
      further,
    );
    if (further.name !== "") this.#start(further);
    further.append(text);
    if (!this.#isCallsOnly) this.#show(further, text);
    this.#settle(further, true);
  }

  #report(
    code: Diagnostic["code"],
    severity: Diagnostic["severity"],
    message: string,
    call: Call,
  ): void {
    const diagnostic = this.#diagnostics.add(code, severity, message, call.id);
    if (diagnostic !== undefined && !this.#isCallsOnly) {
      this.#events.push({ type: "diagnostic", diagnostic });
    }
  }
}
