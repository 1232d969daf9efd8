import type { Reference } from "../dialects/dialect.ts";
import { readReferences } from "../dialects/histories.ts";
import { isObject } from "../json/object.ts";

/**
 * A fault that makes a strict server reject a history.
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

/** A call or result, its place, and its partner. */
export interface Entry extends Reference {
  /** The position of its message in the history. */
  readonly position: number;
  /** The number of the turn that its message belongs to. */
  readonly turn: number;
  partner: Entry | undefined;
}

/**
 * Finds the faults that strict servers reject: ids that repeat anywhere in the conversation, calls
 * without result, results without call, results out of place.
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
  /** Results may answer calls from this position on: the latest message that holds no result. */
  let turn = -1;
  let isAnswered = true;
  for (const [position, entries] of pair(messages).entries()) {
    const hasResult = entries.some(({ type }) => type === "result");
    // If each call is an item of its own, results may answer all calls since the last result.
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
 * The calls and results of each message, paired. A result belongs to the call with its id in the
 * nearest turn before it that has such a call. If that turn has several, the result belongs to the
 * first one without a result.
 */
export function pair(messages: readonly unknown[]): Entry[][] {
  /** By id: the calls with it in the latest turn that has one. */
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
