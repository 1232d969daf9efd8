import {
  historyDialectOf,
  readReferences,
  type PlacedId,
  type Reference,
} from "../dialects/history-dialect.ts";
import { isObject } from "../dialects/provider-error.ts";
import type { Dialect, JsonObject, ToolCall, ToolResults } from "../types.ts";

/** A call in a history, as a rule for ids sees it. */
export interface HistoryCall {
  readonly id: string;
  readonly name: string;
  /** The position among all calls of the history, from 0. */
  readonly number: number;
}

/**
 * What a strict server rejects in a history.
 *
 * - `repeated-id`: a call has the id of an earlier one
 * - `missing-result`: a call has no result
 * - `orphan-result`: a result belongs to no call before it, or to one that has its result already
 * - `misplaced-result`: between a result and its call stands a message other than results
 */
export interface PairingFault {
  readonly code: "repeated-id" | "missing-result" | "orphan-result" | "misplaced-result";
  readonly id: string;
  /** The position of the message in the history, from 0. */
  readonly position: number;
}

/** A call or result where it stands, and what it is paired with. */
interface Entry extends Reference {
  /** Of its message in the history. */
  readonly position: number;
  /** The number of the turn that its message belongs to. */
  readonly turn: number;
  partner: Entry | undefined;
}

/**
 * The message that answers a call, in the call's dialect.
 *
 * A string goes as it is, everything else as JSON, `undefined` as `""`.
 *
 * @throws TypeError when the output has no JSON (a BigInt, a cycle)
 *
 * @example Tell the model why a call was not executed
 * ```ts
 * messages.push(toolResult(call, call.status === "incomplete" ? call.error : await run(call)));
 * ```
 */
export function toolResult(call: ToolCall, output: unknown): ToolResults[Dialect] {
  return historyDialectOf(call.dialect).writeResult(call, resultText(output));
}

/**
 * Finds what strict servers reject: ids that repeat anywhere in the conversation, calls without
 * result, results without call, results out of place.
 *
 * @returns the faults in order of position; none for a history that every server accepts
 *
 * @example
 * ```ts
 * if (findPairingFaults(messages).length > 0) throw new Error("The history does not pair");
 * ```
 */
export function findPairingFaults(messages: readonly unknown[]): PairingFault[] {
  const faults: PairingFault[] = [];
  const seen = new Set<string>();
  const isItemized = messages.some((message) => readReferences(message).dialect?.isItemized);
  /** Where the calls begin that results may answer: in the latest message that holds no result. */
  let turn = -1;
  let isAnswered = true;
  for (const [position, entries] of pair(messages).entries()) {
    const hasResult = entries.some(({ type }) => type === "result");
    // Where each call is an item of its own, they are all those since the last result.
    if (!hasResult && (isAnswered || !isItemized)) turn = position;
    isAnswered = hasResult;
    for (const { type, id, partner } of entries) {
      const report = (code: PairingFault["code"]): number => faults.push({ code, id, position });
      if (type === "call") {
        if (seen.has(id)) report("repeated-id");
        seen.add(id);
        if (partner === undefined) report("missing-result");
      } else if (partner === undefined) report("orphan-result");
      else if (partner.position < turn) report("misplaced-result");
    }
  }
  return faults;
}

/**
 * A copy of the history with other ids, calls and their results alike. Messages and fields that hold
 * no id stay as they are; the history itself is not changed. A result keeps its call also where ids
 * repeat; results without a call and calls without a name keep their ids.
 *
 * @param rule gives the new id of a call
 *
 * @example For Mistral, which takes exactly nine characters of `[a-zA-Z0-9]`
 * ```ts
 * mapToolCallIds(messages, ({ number }) => `${number}`.padStart(9, "0"));
 * ```
 */
export function mapToolCallIds<Message>(
  messages: readonly Message[],
  rule: (call: HistoryCall) => string,
): Message[] {
  return newIds(messages, rule).map((references, position) => {
    const message = messages[position] as Message;
    const { dialect } = readReferences(message);
    if (dialect === undefined) return message;
    const ids = references.map(({ id }) => id);
    // A dialect writes the kind of message that it has read.
    return dialect.writeIds(message as JsonObject, ids) as Message;
  });
}

/** The ids that {@link mapToolCallIds} gives to the calls and results of each message. */
export function newIds(
  messages: readonly unknown[],
  rule: (call: HistoryCall) => string,
): PlacedId[][] {
  const history = pair(messages);
  const ids = new Map<Entry, string>();
  let number = 0;
  for (const entry of history.flat()) {
    if (entry.type !== "call") continue;
    const { id, name } = entry;
    ids.set(entry, name === undefined ? id : rule({ id, name, number }));
    number += 1;
  }
  return history.map((entries) =>
    entries.map((entry) => {
      const id = ids.get(entry.partner?.type === "call" ? entry.partner : entry) ?? entry.id;
      return { id, holder: entry.holder, field: entry.field };
    }),
  );
}

/**
 * A copy of the history with the ids that Kimi K2 was trained on, `functions.<name>:<n>` for the
 * n-th call of the conversation: its template shows ids to the model, and takes the name from them.
 * Kimi K3 needs nothing: there ids are opaque.
 *
 * @example
 * ```ts
 * const body = { ...request, messages: kimiK2ToolCallIds(messages) };
 * ```
 */
export function kimiK2ToolCallIds<Message>(messages: readonly Message[]): Message[] {
  return mapToolCallIds(messages, kimiK2Id);
}

/** The rule of {@link kimiK2ToolCallIds}. */
export function kimiK2Id({ name, number }: HistoryCall): string {
  return `functions.${name}:${number}`;
}

/**
 * The calls and results of each message, paired: a result belongs to the call with its id in the
 * nearest turn before it that has one; where that has several, to the first of them that has no
 * result yet.
 */
function pair(messages: readonly unknown[]): Entry[][] {
  /** By id: the calls of the latest turn that has any with it. */
  const latest = new Map<string, Entry[]>();
  const histories = messages.map(readReferences);
  const dialect = histories.find((history) => history.dialect !== undefined)?.dialect;
  let turn = 0;
  return histories.map(({ references }, position) => {
    const message = messages[position];
    const entries = references.map((reference): Entry =>
      Object.assign(reference, { position, turn, partner: undefined }),
    );
    if (isObject(message) && dialect?.endsTurn(message)) turn += 1;
    for (const entry of entries) {
      const calls = latest.get(entry.id);
      if (entry.type === "result") {
        entry.partner = calls?.find(({ partner }) => partner === undefined);
        if (entry.partner !== undefined) entry.partner.partner = entry;
      } else if (calls?.[0]?.turn === entry.turn) calls.push(entry);
      else latest.set(entry.id, [entry]);
    }
    return entries;
  });
}

function resultText(output: unknown): string {
  if (typeof output === "string") return output;
  try {
    // JSON.stringify gives undefined for what JSON has no word for: undefined, functions, symbols.
    return (JSON.stringify(output) as string | undefined) ?? "";
  } catch (cause) {
    throw new TypeError("Cannot answer call: its output cannot be written as JSON", { cause });
  }
}
