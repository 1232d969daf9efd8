import { unwrapped } from "./argument-text.ts";
import { Call } from "./call.ts";
import { ChoiceCalls } from "./choice-calls.ts";
import { IdMint } from "./id-mint.ts";
import type { ChoiceEnd, Outcome } from "./outcome.ts";
import type { CallDelta } from "../dialects/delta.ts";
import type { ResponseDialect } from "../dialects/dialect.ts";
import { PLACEHOLDER } from "../dialects/placeholder.ts";
import { excerptOf } from "../errors.ts";
import { canonicalJson } from "../json/json-value.ts";
import type { ResolvedOptions } from "../options.ts";
import type { Output } from "./output.ts";
import type { DiagnosticCode, ToolCall } from "../types.ts";

/** What decoders put in the place of bytes that are not UTF-8. */
const REPLACEMENT = "\uFFFD";

/** Deltas → calls. Owns every call of one response, and all that is known of it. */
export class Assembler<Input> {
  #options: ResolvedOptions<Input>;
  #output: Output<Input>;
  /** By the number of their choice. */
  #choices = new Map<number, ChoiceCalls>();
  /** In order of first appearance. */
  #calls: Call[] = [];
  /** The calls that are not out and have missed no event. */
  #open = new Set<Call>();
  #ids: IdMint;
  #news = 0;
  /** Whether an event was lost: then no late object can be trusted to be a call. */
  #isDamaged = false;
  /** With `eager: false`, the finished calls that wait for the end. */
  #waiting: ToolCall<Input>[] = [];

  constructor(options: ResolvedOptions<Input>, output: Output<Input>) {
    this.#options = options;
    this.#output = output;
    this.#ids = new IdMint(options.generateId);
  }

  /** @returns the id of the call that the delta belongs to, if there is room for it */
  apply(delta: CallDelta, dialect: ResponseDialect): string | undefined {
    const choice = this.#choice(delta.choice);
    const { correlation } = choice;
    let call: Call | "new" | undefined = correlation.find(delta);
    if (call === "new") {
      const repeated = choice.repeated(delta);
      if (repeated !== undefined) return repeated.id;
      call = this.#openCall(delta.choice, dialect);
    }
    if (call === undefined) return undefined;
    choice.hasDeltas ||= !delta.isFromMessage;

    const isNewId = delta.id !== undefined && !correlation.knows(delta.id);
    const { name } = call;
    correlation.assign(delta, call);
    this.#grow(call, call.learn(delta) + (isNewId ? delta.id.length : 0));
    if (call.name !== name) this.#news += 1;
    if (call.name !== "") this.#start(call);
    const { fragment, extent = "piece" } = delta;
    if (extent !== "piece") this.#takeAll(call, fragment, extent === "opening");
    else if (fragment !== "") this.#show(call, this.#append(call, fragment));
    if (delta.isClosed) call.close();
    if (call.isReady) this.#settle(call, false);
    this.#readLate(call, false);
    return call.id;
  }

  /** @returns `undefined` when `generateId` fails */
  #mint(): string | undefined {
    try {
      return this.#ids.mint();
    } catch (error) {
      this.#output.stop(error as TypeError);
      return undefined;
    }
  }

  /** An event was lost: every open call may miss a fragment. */
  damage(): void {
    this.#isDamaged = true;
    for (const call of this.#open) call.damage();
    this.#open.clear();
  }

  /** A fragment of this call was lost. */
  damageCall(choice: number, index: string): void {
    const call = this.#choice(choice).correlation.find({ index });
    if (call === "new") return;
    call.damage();
    this.#open.delete(call);
  }

  /**
   * The response has ended: every remaining call comes out, complete or not.
   *
   * @returns whether one of them is incomplete for nothing but an end that is unproven
   */
  end(endOf: (choice: number) => ChoiceEnd): boolean {
    let isUnproven = false;
    for (const call of this.#calls) {
      const end = endOf(call.choice);
      const isNormal = end === "normal";
      if (!call.isSettled) {
        isUnproven ||= end === "unproven" && call.lacksEnd;
        this.#settle(call, isNormal);
      }
      this.#readLate(call, isNormal);
      const { rest } = call.late;
      if (rest === "") continue;
      // An object that never closed may have been a call. After damage, any text may have been one.
      const isLost = rest.startsWith("{") || this.#isDamaged;
      this.#report("late-text", `Dropped behind arguments: ${excerptOf(rest)}`, call, isLost);
    }
    for (const call of this.#waiting) this.#output.emit({ type: "tool-call", call });
    this.#waiting = [];
    return isUnproven;
  }

  /** Grows with all that the model says in calls: with each call, and each new piece of an open one. */
  get news(): number {
    return this.#news;
  }

  #choice(number: number): ChoiceCalls {
    let choice = this.#choices.get(number);
    if (choice === undefined) this.#choices.set(number, (choice = new ChoiceCalls()));
    return choice;
  }

  #openCall(number: number, dialect: ResponseDialect): Call | undefined {
    const { maxToolCalls } = this.#options;
    if (this.#calls.length >= maxToolCalls) {
      this.#output.exceed("maxToolCalls", maxToolCalls);
      return undefined;
    }
    const id = this.#mint();
    if (id === undefined) return undefined;
    const choice = this.#choice(number);
    const call = new Call(id, dialect, number, choice.count);
    choice.add(call);
    this.#news += 1;
    this.#calls.push(call);
    this.#open.add(call);
    return call;
  }

  #grow(call: Call, length: number): void {
    const { maxArgumentsLength } = this.#options;
    if (call.grow(length) > maxArgumentsLength) {
      this.#output.exceed("maxArgumentsLength", maxArgumentsLength);
    }
  }

  /** Takes a text that is all of a call's arguments. Pieces of them may have come before. */
  #takeAll(call: Call, text: string, isOpening: boolean): void {
    const rest = call.restOf(text, isOpening);
    if (this.#isDoubtful(text)) call.taint();
    if (rest === undefined) {
      this.#report("late-text", `Not what came in pieces: ${excerptOf(text)}`, call, true);
      return;
    }
    if (rest === "") return;
    const fragment = this.#append(call, rest);
    if (!call.hasShownOther) this.#show(call, fragment);
  }

  #append(call: Call, fragment: string): string {
    // The text within the limit is still taken: it may be all that the call needs.
    const room = Math.max(0, this.#options.maxArgumentsLength - call.grow(0));
    this.#grow(call, fragment.length);
    if (!call.isSettled) this.#news += 1;
    if (this.#isDoubtful(fragment)) call.taint();
    return call.append(fragment.slice(0, room));
  }

  /** Whether some of the characters may not be those that the server sent. */
  #isDoubtful(text: string): boolean {
    return this.#output.hasReplacedBytes && text.includes(REPLACEMENT);
  }

  #start(call: Call): void {
    if (!call.start()) return;
    const { id, name, choice, index } = call;
    this.#output.emit({ type: "tool-call-start", id, name, choice, index });
  }

  /** Shows a fragment, and what has waited before it. */
  #show(call: Call, fragment: string): void {
    if (this.#output.isCallsOnly) return;
    const shown = call.show(fragment);
    if (shown === "") return;
    this.#output.emit({ type: "tool-call-delta", id: call.id, fragment: shown });
  }

  #settle(call: Call, isNormalEnd: boolean): void {
    this.#open.delete(call);
    const outcome = call.settle(this.#options.parseArguments, isNormalEnd);
    const isJson = outcome.status === "complete" || outcome.error.code === "rejected";
    const original = isJson ? this.#choice(call.choice).original(call) : undefined;
    if (original !== undefined) {
      this.#report("repeated-call", `A copy of ${original.id} was dropped`, call);
      return;
    }
    if (isJson && call.isCorrected) {
      this.#report("repaired-arguments", "Arguments came repeated, or as a string", call);
    }
    this.#start(call);
    this.#show(call, "");
    const toolCall = toToolCall(call, outcome);
    if (this.#options.eager) this.#output.emit({ type: "tool-call", call: toolCall });
    else this.#waiting.push(toolCall);
  }

  /**
   * Judges the values behind closed arguments. They wait while the call has no name. While the call
   * holds a placeholder, they may be its arguments.
   */
  #readLate(call: Call, isNormalEnd: boolean): void {
    while (call.isSettled || call.isHeld) {
      const text = call.late.take();
      if (text === undefined) return;
      const value = canonicalJson(unwrapped(text) ?? text);
      const isPlaceholder = value === PLACEHOLDER;
      const isObject = text.startsWith("{") && !isPlaceholder;
      if (call.hasHad(value)) {
        this.#report("repeated-arguments", "Arguments came again", call);
      } else if (!call.isSettled && isObject) {
        call.replacePlaceholder(text);
        if (call.name === "" && !call.dialect.hasFurtherCalls) call.taint();
        call.remember(value);
        if (call.isReady) this.#settle(call, isNormalEnd);
      } else if (isObject && !this.#isDamaged && call.dialect.hasFurtherCalls) {
        call.remember(value);
        this.#openFurther(call, text, isNormalEnd);
      } else {
        // An empty object is a placeholder that came late; all else may have been a call.
        call.contradict();
        if (call.name === "" && !isPlaceholder) call.taint();
        const message = `Dropped behind arguments: ${excerptOf(text)}`;
        this.#report("late-text", message, call, !isPlaceholder);
      }
    }
  }

  /** A different object behind the arguments of a call is a further call of the same name. */
  #openFurther(call: Call, text: string, isNormalEnd: boolean): void {
    const further = this.#openCall(call.choice, call.dialect);
    if (further === undefined) return;
    further.learn({ id: call.providerId, name: call.name });
    further.append(text);
    this.#report("further-call", `Found behind the arguments of ${call.id}`, further);
    this.#settle(further, isNormalEnd);
  }

  #report(code: DiagnosticCode, message: string, call: Call, isLoss = false): void {
    this.#output.report(code, message, isLoss, call.id);
  }
}

function toToolCall<Input>(call: Call, outcome: Outcome<Input>): ToolCall<Input> {
  const { id, providerId, name, isCustom, choice, index, extra } = call;
  const type = isCustom ? "custom" : "function";
  const dialect = call.dialect.name;
  // The input of a custom call is its text; parseArguments makes the input of a function call.
  return {
    id,
    providerId,
    type,
    name,
    ...outcome,
    choice,
    index,
    dialect,
    extra,
  } as ToolCall<Input>;
}
