import { unwrapped } from "./argument-text.ts";
import { Call, type Outcome } from "./call.ts";
import { Correlation } from "./correlation.ts";
import type { CallDelta, WireDialect } from "../dialects/dialect.ts";
import { excerptOf } from "../errors.ts";
import { canonicalJson, jsonText } from "../json/json-value.ts";
import type { ResolvedOptions } from "../options.ts";
import type { Output } from "./output.ts";
import type { DiagnosticCode, ToolCall } from "../types.ts";

/** The calls of one choice. */
class ChoiceCalls {
  readonly correlation = new Correlation<Call>();
  /** How many there are. */
  count = 0;
  /** The first call that came out with an id, name and type, and all of them by their arguments. */
  readonly settled = new Map<string, Call>();
  readonly values = new Map<string, Call>();
  /** Whether a delta came: then a whole message behind it may repeat what it said. */
  hasDeltas = false;
  /** Of what {@link repeated} looks for: the calls whose arguments have closed, by what they say. */
  #closed = new Map<string, Call>();
  /** The calls that it has not found closed. */
  #unclosed = new Set<Call>();

  add(call: Call): void {
    this.count += 1;
    this.#unclosed.add(call);
  }

  /** The call that a call in a whole message is, where its own deltas have brought it. */
  repeated({ name, isCustom, fragment }: CallDelta): Call | undefined {
    if (!this.hasDeltas) return undefined;
    const value = isCustom ? fragment : canonicalJson(fragment);
    for (const call of this.#unclosed) {
      if (call.isFixed) {
        const key = JSON.stringify([call.name, call.value]);
        if (!this.#closed.has(key)) this.#closed.set(key, call);
        this.#unclosed.delete(call);
      } else if (call.name === name) {
        const isSame = call.isPlaceholder ? call.value === value : call.arguments === fragment;
        if (isSame) return call;
      }
    }
    return this.#closed.get(JSON.stringify([name, value]));
  }
}

/** Deltas → calls. Owns every call of one response, and all that is known of it. */
export class Assembler<Input> {
  #options: ResolvedOptions<Input>;
  #output: Output<Input>;
  #choices = new Map<number, ChoiceCalls>();
  /** In order of first appearance. */
  #calls: Call[] = [];
  /** The calls that are not out, and have missed no event. */
  #open = new Set<Call>();
  #ids = new Set<string>();
  /** Whether an event was lost: then no late object can be trusted to be a call. */
  #isDamaged = false;
  /** With `eager: false`, the finished calls that wait for the end. */
  #waiting: ToolCall<Input>[] = [];

  constructor(options: ResolvedOptions<Input>, output: Output<Input>) {
    this.#options = options;
    this.#output = output;
  }

  /** @returns the id of the call that the delta belongs to, if there is room for it */
  apply(delta: CallDelta, dialect: WireDialect): string | undefined {
    const choice = this.#choice(delta.choice);
    const { correlation } = choice;
    let call = correlation.find(delta);
    if (call === undefined) {
      const repeated = delta.isWhole ? choice.repeated(delta) : undefined;
      if (repeated !== undefined) return repeated.id;
      call = this.#openCall(delta.choice, dialect);
      if (call === undefined) return undefined;
    }
    choice.hasDeltas ||= !delta.isWhole;

    if (delta.id !== undefined && !correlation.knows(delta.id)) this.#grow(call, delta.id);
    correlation.assign(delta, call);
    call.providerId ??= delta.id;
    if (delta.isCustom && !call.hasText) call.type = "custom";
    if (delta.extra !== undefined) {
      for (const [key, value] of Object.entries(delta.extra)) this.#addExtra(call, key, value);
    }
    if (delta.name !== undefined && delta.name !== call.name) {
      this.#grow(call, delta.name);
      call.addName(delta.name);
    }
    if (call.name !== "" && !call.isStarted) this.#start(call);
    if (delta.isSnapshot) this.#takeSnapshot(call, delta.fragment);
    else if (delta.fragment !== "") {
      const fragment = this.#append(call, delta.fragment);
      if (call.isShowable) this.#show(call, fragment);
    }
    if (call.isReady) this.#settle(call, false);
    this.#readLate(call, false);
    return call.id;
  }

  /** An id that no call has had, unless the one who makes them fails. */
  mint(): string | undefined {
    let cause: unknown;
    try {
      const id: unknown = this.#options.generateId();
      if (typeof id === "string" && id !== "" && !this.#ids.has(id)) {
        this.#ids.add(id);
        return id;
      }
    } catch (error) {
      cause = error;
    }
    this.#output.fail(new TypeError("Cannot open call: generateId gave no new id", { cause }));
    return undefined;
  }

  /** An event was lost: what is open may miss a fragment. */
  damage(): void {
    this.#isDamaged = true;
    for (const call of this.#open) call.isDamaged = true;
    this.#open.clear();
  }

  /** A fragment of this call was lost. */
  damageCall(choice: number, index: string): void {
    const call = this.#choice(choice).correlation.find({ index });
    if (call === undefined) return;
    call.isDamaged = true;
    this.#open.delete(call);
  }

  /** The response has ended: every call that is still here comes out, complete or not. */
  end(isNormalEnd: (choice: number) => boolean): void {
    for (const call of this.#calls) {
      const isNormal = isNormalEnd(call.choice);
      if (!call.isSettled) this.#settle(call, isNormal);
      this.#readLate(call, isNormal);
      const { rest } = call.late;
      if (rest === "") continue;
      // An object that never closed may have been a call, and so may all that follows damage.
      const isLost = rest.startsWith("{") || this.#isDamaged;
      this.#report("late-text", `Dropped behind arguments: ${excerptOf(rest)}`, call, isLost);
    }
    for (const call of this.#waiting) this.#output.emit({ type: "tool-call", call });
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

  #openCall(number: number, dialect: WireDialect): Call | undefined {
    const { maxToolCalls } = this.#options;
    if (this.#calls.length >= maxToolCalls) {
      this.#output.exceed("maxToolCalls", maxToolCalls);
      return undefined;
    }
    const id = this.mint();
    if (id === undefined) return undefined;
    const choice = this.#choice(number);
    const call = new Call(id, dialect, number, choice.count);
    choice.add(call);
    this.#calls.push(call);
    this.#open.add(call);
    return call;
  }

  #grow(call: Call, text: string): void {
    const { maxArgumentsLength } = this.#options;
    call.size += text.length;
    if (call.size > maxArgumentsLength) {
      this.#output.exceed("maxArgumentsLength", maxArgumentsLength);
    }
  }

  /** Some servers repeat unknown fields on every fragment: only what is new counts. */
  #addExtra(call: Call, key: string, value: unknown): void {
    const text = jsonText(value);
    if (call.extra.has(key) && jsonText(call.extra.get(key)) === text) return;
    this.#grow(call, key + text);
    call.extra.set(key, value);
  }

  /** Takes a text that is all of a call's arguments, of which pieces may have come. */
  #takeSnapshot(call: Call, text: string): void {
    const rest = call.restOf(text);
    if (rest === undefined) {
      this.#report("late-text", `Not what came in pieces: ${excerptOf(text)}`, call, true);
      return;
    }
    if (rest === "") return;
    const fragment = this.#append(call, rest);
    // What has been shown of a text that is replaced cannot be taken back.
    if (call.isShowable && !(call.isReplaced && call.isShown)) this.#show(call, fragment);
  }

  #append(call: Call, fragment: string): string {
    // What the limit leaves is still taken: it may be all that the call needs.
    const room = Math.max(0, this.#options.maxArgumentsLength - call.size);
    this.#grow(call, fragment);
    return call.append(fragment.slice(0, room));
  }

  #start(call: Call): void {
    call.isStarted = true;
    const { id, name, choice, index } = call;
    this.#output.emit({ type: "tool-call-start", id, name, choice, index });
  }

  /** Shows a fragment, and what has waited before it. */
  #show(call: Call, fragment: string): void {
    if (this.#output.isCallsOnly) return;
    const text = call.isShown ? fragment : call.arguments;
    if (text === "") return;
    call.isShown = true;
    this.#output.emit({ type: "tool-call-delta", id: call.id, fragment: text });
  }

  #settle(call: Call, isNormalEnd: boolean): void {
    this.#open.delete(call);
    const outcome = call.settle(this.#options.parseArguments, isNormalEnd);
    const isWhole = outcome.status === "complete" || outcome.error.code === "rejected";
    if (isWhole && this.#isCopy(call)) return;
    if (isWhole && call.isCorrected) {
      this.#report("repaired-arguments", "Arguments came repeated, or as a string", call);
    }
    if (!call.isStarted) this.#start(call);
    this.#show(call, "");
    const toolCall = toToolCall(call, outcome);
    if (this.#options.eager) this.#output.emit({ type: "tool-call", call: toolCall });
    else this.#waiting.push(toolCall);
  }

  /** Whether the call is one that is out already: servers have sent one call at several indices. */
  #isCopy(call: Call): boolean {
    const { providerId, name, type } = call;
    if (providerId === undefined) return false;
    const { settled, values } = this.#choice(call.choice);
    const key = JSON.stringify([providerId, name, type]);
    const first = settled.get(key);
    if (first === undefined) {
      settled.set(key, call);
      return false;
    }
    // Only now that two calls share all else are their arguments compared.
    values.set(key + first.value, first);
    const original = values.get(key + call.value);
    values.set(key + call.value, original ?? call);
    if (original === undefined) return false;
    this.#report("repeated-call", `A copy of ${original.id} was dropped`, call);
    return true;
  }

  /**
   * Judges the values behind arguments that have closed. They wait while the call has no name, and
   * may be its arguments while it holds a placeholder.
   */
  #readLate(call: Call, isNormalEnd: boolean): void {
    while (call.isSettled || call.isPlaceholder) {
      const text = call.late.take();
      if (text === undefined) return;
      const value = canonicalJson(unwrapped(text) ?? text);
      call.lineage ??= new Set([call.value]);
      const isObject = text.startsWith("{") && value !== "{}";
      if (call.lineage.has(value)) {
        this.#report("repeated-arguments", "Arguments came again", call);
      } else if (!call.isSettled && isObject) {
        call.replacePlaceholder(text);
        call.lineage.add(value);
        if (call.isReady) this.#settle(call, isNormalEnd);
      } else if (isObject && !this.#isDamaged && call.dialect.hasFurtherCalls) {
        call.lineage.add(value);
        this.#openFurther(call, text, isNormalEnd);
      } else {
        // An empty object is a placeholder that came late; all else may have been a call.
        call.isContradicted = true;
        const isLost = value !== "{}";
        this.#report("late-text", `Dropped behind arguments: ${excerptOf(text)}`, call, isLost);
      }
    }
  }

  /** A different object behind the arguments of a call is a further call of the same name. */
  #openFurther(call: Call, text: string, isNormalEnd: boolean): void {
    const further = this.#openCall(call.choice, call.dialect);
    if (further === undefined) return;
    further.providerId = call.providerId;
    further.name = call.name;
    further.append(text);
    this.#report("further-call", `Found behind the arguments of ${call.id}`, further);
    this.#settle(further, isNormalEnd);
  }

  #report(code: DiagnosticCode, message: string, call: Call, isLoss = false): void {
    this.#output.report(code, message, isLoss, call.id);
  }
}

function toToolCall<Input>(call: Call, outcome: Outcome<Input>): ToolCall<Input> {
  const { id, providerId, name, type, choice, index } = call;
  const dialect = call.dialect.name;
  const extra = call.extra.size > 0 ? Object.fromEntries(call.extra) : undefined;
  const identity = { id, providerId, type, name, arguments: call.arguments };
  // Call.settle gives a custom call its text, and a function call what parseArguments made.
  return { ...identity, ...outcome, choice, index, dialect, extra } as ToolCall<Input>;
}
