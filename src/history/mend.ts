import type { HistoryMender, HistoryWriter } from "../dialects/dialect.ts";
import { argumentText, objectOr } from "../dialects/fields.ts";
import { MENDERS, WRITERS } from "../dialects/histories.ts";
import { PLACEHOLDER } from "../dialects/placeholder.ts";
import { readJson } from "../json/json-value.ts";
import { isObject, type JsonObject, presentString } from "../json/object.ts";
import { checkType } from "../options.ts";
import { type Entry, judge, pair, type PairedMessage, type PairingFault } from "./pairing.ts";

/**
 * What {@link mendHistory} has mended: a {@link PairingFault}, or what servers reject beside it.
 *
 * - `wrong-result-type`: a result is of another type than its call wants (Responses)
 * - `bad-arguments`: the arguments of a call are no JSON object
 * - `bad-name`: a call has no name, or one with characters that servers reject
 * - `empty-calls`: a message has a list of calls with none in it
 * - `blank-text`: a message has text blocks of nothing but white space, or no block at all
 * - `empty-message`: nothing is in a message
 */
export interface HistoryFault {
  readonly code:
    | PairingFault["code"]
    | "wrong-result-type"
    | "bad-arguments"
    | "bad-name"
    | "empty-calls"
    | "blank-text"
    | "empty-message";
  /** That of the call or result before it was mended; `""` if the fault is of the message. */
  readonly id: string;
  /** The position of the message in the history that was given, from 0. */
  readonly position: number;
}

/** How a history is mended. */
export interface MendHistoryOptions {
  /**
   * What the model reads where a call has no result.
   *
   * @default "No result: the call was interrupted. It may or may not have been executed."
   */
  readonly missingResult?: string | undefined;
  /** Sees every fault that was mended, in order of position; its errors are ignored. */
  readonly onFault?: ((fault: HistoryFault) => void) | undefined;
}

const MISSING_RESULT = "No result: the call was interrupted. It may or may not have been executed.";

/** OpenAI takes 40 characters; this many leave room for a number. */
const MAX_ID_BASE = 32;

/** The roles of messages that may go when nothing is in them. */
const ROLES: ReadonlySet<unknown> = new Set(["user", "assistant", "system", "developer"]);

/** The fields of a message that say nothing by themselves. */
const LABELS: ReadonlySet<string> = new Set(["role", "type", "id", "name", "status", "phase"]);

/**
 * A copy of the history that strict servers take: every call has exactly one result, right behind its
 * turn, and every result its call. Pairs are those of {@link findPairingFaults}.
 *
 * Repeated and absent ids become `<id>_2` or `call_without_id_1`, the same each time. Missing results
 * are filled in, the last turn included; results without a call go. Blank text blocks and empty
 * messages go, broken arguments become `{}`. What the user and the model said stays, in its order, and
 * messages without a fault stay the same objects.
 *
 * It takes whole histories: of one that the server holds in part, results would go.
 *
 * @throws TypeError when an option has the wrong type
 *
 * @example Before a request, whatever has happened to the history
 * ```ts
 * const mended = mendHistory(messages, { onFault: (fault) => console.warn(fault.code) });
 * ```
 */
export function mendHistory<Message>(
  messages: readonly Message[],
  { missingResult = MISSING_RESULT, onFault = ignore }: MendHistoryOptions = {},
): Message[] {
  checkType("missingResult", missingResult, "string");
  checkType("onFault", onFault, "function");
  const mending = new Mending(messages, missingResult);
  for (const fault of mending.faults.sort((a, b) => a.position - b.position)) {
    try {
      onFault(fault);
    } catch {
      // An observer changes nothing.
    }
  }
  // A dialect writes the same kind of message as it reads.
  return mending.mended as Message[];
}

function ignore(): void {}

class Mending {
  readonly mended: unknown[] = [];
  readonly faults: HistoryFault[] = [];
  readonly #missingResult: string;
  readonly #mender: HistoryMender;
  readonly #writer: HistoryWriter;
  /** Of calls that get another one. */
  readonly #ids = new Map<Entry, string>();
  readonly #misplaced = new Set<Entry>();
  readonly #calls = new Map<Entry, JsonObject>();
  /** By stretch: the results that stand there in the end. */
  readonly #results: JsonObject[][] = [];
  /** The results that stand before the next message. */
  #due: JsonObject[] = [];
  /** Whether the latest message is a reasoning item: OpenAI wants what was behind it as it was. */
  #isReasoning = false;

  constructor(messages: readonly unknown[], missingResult: string) {
    this.#missingResult = missingResult;
    const history = pair(messages);
    const { dialect, entries, messages: paired } = history;
    const name = dialect?.name ?? "chat";
    this.#mender = MENDERS[name];
    this.#writer = WRITERS[name];
    const others = messages.flatMap((message) => dialect?.readOthers?.(objectOr(message)) ?? []);
    const giveId = idGiver([...entries.map(({ id }) => id), ...others]);
    judge(history, (code, entry) => {
      this.#report(code, entry);
      if (code === "misplaced-result") this.#misplaced.add(entry);
      if (code.endsWith("-id")) this.#ids.set(entry, giveId(entry.id));
    });
    // First the results that are in their place, in the order that they have.
    for (const [position, message] of paired.entries()) {
      for (const [index, entry] of message.entries.entries()) {
        if (entry.type === "result") this.#keep(entry, objectOr(messages[position]), index);
      }
    }
    for (const entry of entries) if (entry.type === "call") this.#mendCall(entry);
    let latest = 0;
    for (const [position, message] of paired.entries()) {
      if (message.stretch !== latest) this.#release(latest);
      latest = message.stretch;
      if (!message.isHead) this.#release(latest);
      this.#write(messages[position], position, message);
    }
    this.#release(latest);
    this.#pushDue();
  }

  #report(code: HistoryFault["code"], { position, id }: Omit<HistoryFault, "code">): void {
    this.faults.push({ code, id, position });
  }

  /** A result stays in its stretch, if it belongs there. */
  #keep(entry: Entry, message: JsonObject, index: number): void {
    const { partner, position, holder, isForeign, stretch } = entry;
    if (this.#misplaced.has(entry) || (partner === undefined && !isForeign)) return;
    const { messagesOfResults: results } = this.#mender;
    const isNext = position - 1 === partner?.position;
    if (results !== undefined && !(isNext && results.isLeading(message, index, holder))) {
      this.#report("misplaced-result", entry);
      this.#misplaced.add(entry);
    } else this.#place(stretch, this.#mendResult(entry));
  }

  #place(stretch: number, result: JsonObject): void {
    (this.#results[stretch] ??= []).push(result);
  }

  /** Mends a call, and sees to its result. */
  #mendCall(entry: Entry): void {
    const { holder, field, id, partner, stretch } = entry;
    const fresh = this.#ids.get(entry) ?? id;
    const mended = this.#mender.mendCall(holder, (body, argumentsField) => {
      const named = withField(body, "name", mendedName(body["name"]));
      if (named !== body) this.#report("bad-name", entry);
      if (argumentsField === undefined) return named;
      const value = mendedArguments(body[argumentsField], argumentsField === "arguments");
      const whole = withField(named, argumentsField, value);
      if (whole !== named) this.#report("bad-arguments", entry);
      return whole;
    });
    const call = withField(mended, field, fresh);
    this.#calls.set(entry, call);
    if (partner === undefined) {
      this.#place(stretch, this.#mender.fillIn(call, fresh, this.#missingResult));
    } else if (this.#misplaced.has(partner)) this.#place(stretch, this.#mendResult(partner));
  }

  #mendResult(entry: Entry): JsonObject {
    const { holder, field, partner } = entry;
    if (partner === undefined) return holder;
    const { name } = holder;
    const named = typeof name === "string" ? withField(holder, "name", mendedName(name)) : holder;
    const result = withField(named, field, this.#ids.get(partner) ?? partner.id);
    const typed = this.#mender.mendResult?.(result, partner.holder) ?? result;
    if (typed !== result) this.#report("wrong-result-type", entry);
    return typed;
  }

  #write(message: unknown, position: number, { entries, isHead }: PairedMessage): void {
    const { messagesOfResults: results } = this.#mender;
    // A result that is a message of its own comes with the others.
    if (!isHead && results === undefined) return;
    if (!isObject(message)) {
      this.#pushDue();
      this.mended.push(message);
      return;
    }
    const isBound = this.#isReasoning && this.#due.length === 0;
    const cleaned = isBound ? message : this.#cleaned(message, position);
    const parts = entries.map((each) => this.#calls.get(each));
    const rest = parts.length > 0 ? this.#writer(cleaned, parts) : cleaned;
    const isNothing = !isBound && isEmpty(rest);
    // What is nothing, and never had results, does not come to be for them.
    const canJoin = this.#due.length > 0 && !(isNothing && isHead);
    const content = isNothing ? [] : rest["content"];
    const joined = canJoin ? results?.join(this.#due, cleaned, content) : undefined;
    if (joined !== undefined) {
      this.mended.push(joined);
      this.#due = [];
    } else if (!isNothing) {
      this.#pushDue();
      this.mended.push(rest);
      this.#isReasoning = message["type"] === "reasoning";
    } else if (isHead) this.#report("empty-message", { id: "", position });
  }

  /** The results of a stretch are due: its heads are written. */
  #release(stretch: number): void {
    this.#due = this.#due.concat(this.#results[stretch] ?? []);
    this.#results[stretch] = [];
  }

  #pushDue(): void {
    if (this.#due.length === 0) return;
    const { messagesOfResults: results } = this.#mender;
    for (const message of results === undefined ? this.#due : [results.wrap(this.#due)]) {
      this.mended.push(message);
    }
    this.#due = [];
    this.#isReasoning = false;
  }

  /** The message without an empty list of calls, and without blank text blocks. */
  #cleaned(message: JsonObject, position: number): JsonObject {
    const { tool_calls: calls, ...others } = message;
    const { content } = message;
    let cleaned = message;
    if (isEmptyList(calls)) {
      this.#report("empty-calls", { id: "", position });
      cleaned = others;
    }
    if (!Array.isArray(content)) return cleaned;
    const rest = content.filter((part) => !isBlankText(part));
    if (rest.length === content.length && rest.length > 0) return cleaned;
    this.#report("blank-text", { id: "", position });
    return { ...cleaned, content: rest.length > 0 ? rest : "" };
  }
}

/**
 * Gives ids to calls whose own are absent or repeat: what comes first under an id keeps it, the next
 * ones are numbered.
 *
 * @param ids all of the history: no call may get them anew
 */
function idGiver(ids: readonly (string | undefined)[]): (id: string) => string {
  const used = new Set(ids);
  /** By base: the latest number. */
  const numbers = new Map<string, number>();
  return (id) => {
    const base = id === "" ? "call_without_id" : id.replace(/[^\w-]/g, "_").slice(0, MAX_ID_BASE);
    let number = numbers.get(base) ?? (id === "" ? 0 : 1);
    do number += 1;
    while (used.has(`${base}_${number}`));
    numbers.set(base, number);
    return `${base}_${number}`;
  };
}

function mendedName(name: unknown): string {
  return presentString(name)?.replace(/[^\w\-.:/]/g, "_") ?? "unnamed_tool";
}

/** Some servers have sent an object where its text belongs, and the other way round. */
function mendedArguments(value: unknown, isText: boolean): unknown {
  const text = isText ? argumentText(value) : value;
  const object = typeof text === "string" ? readJson(text) : text;
  if (isObject(object)) return isText ? text : object;
  return isText ? PLACEHOLDER : {};
}

/** The object with this field; the object itself if it has it already. */
function withField(object: JsonObject, field: string, value: unknown): JsonObject {
  return object[field] === value ? object : { ...object, [field]: value };
}

function isBlankText(part: unknown): boolean {
  const { type, text } = objectOr(part);
  return /^(?:input_|output_)?text$/.test(`${type}`) && typeof text === "string" && isBlank(text);
}

/** Whether a message says nothing at all. */
function isEmpty(message: JsonObject): boolean {
  return (
    ROLES.has(message["role"]) &&
    Object.entries(message).every(([field, value]) => LABELS.has(field) || isBlank(value))
  );
}

function isBlank(value: unknown): boolean {
  return typeof value === "string"
    ? value.trim() === ""
    : (value ?? "") === "" || isEmptyList(value);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}
