import type { HistoryDialect, Reference } from "../dialects/dialect.ts";
import { objectOr } from "../dialects/fields.ts";
import { dialectOf } from "../dialects/histories.ts";

/**
 * A fault that makes a strict server reject a history.
 *
 * - `repeated-id`: a call has the id of an earlier one
 * - `missing-id`: a call has no id; it may still have its result, which is then found by position
 * - `missing-result`: a call has no result
 * - `orphan-result`: a result belongs to no call before it, or to one that has its result already
 * - `misplaced-result`: between a result and its call stands a message other than results
 */
export interface PairingFault {
  readonly code:
    | "repeated-id"
    | "missing-id"
    | "missing-result"
    | "orphan-result"
    | "misplaced-result";
  readonly id: string;
  /** The position of the message in the history, from 0. */
  readonly position: number;
}

/** A call or result, its place, and its partner. */
export interface Entry extends Reference {
  /** The position of its message in the history. */
  readonly position: number;
  /** That of its message. */
  readonly stretch: number;
  partner: Entry | undefined;
  /** Of a result: whether it answers what is no call of ours, or one that the server holds. */
  isForeign: boolean;
}

/** A history, its calls and results paired. */
export interface PairedHistory {
  /** That of all messages which hold calls and results; `undefined` if there are none. */
  readonly dialect: HistoryDialect | undefined;
  readonly messages: readonly PairedMessage[];
  /** Of all messages, in order. */
  readonly entries: readonly Entry[];
}

export interface PairedMessage {
  readonly entries: readonly Entry[];
  /** Whether it is no mere answer to calls. */
  readonly isHead: boolean;
  /**
   * The number of its stretch: a message and the results behind it. If each call is an item of its
   * own, a stretch begins with all items since the last result or the last message of another role.
   */
  readonly stretch: number;
}

/**
 * Finds the faults that strict servers reject: ids that are absent, or repeat anywhere in the
 * conversation, calls without result, results without call, results out of place.
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
  judge(pair(messages), (code, { id, position }) => {
    faults.push({ code, id, position });
  });
  return faults;
}

/** Reports what is wrong with each call and result. */
export function judge(
  { entries }: PairedHistory,
  report: (code: PairingFault["code"], entry: Entry) => void,
): void {
  const seen = new Set<string>();
  for (const entry of entries) {
    const { type, id, partner, isForeign } = entry;
    if (type === "call") {
      if (id === "") report("missing-id", entry);
      else if (seen.has(id)) report("repeated-id", entry);
      if (partner === undefined) report("missing-result", entry);
    } else if (partner !== undefined) {
      const isBehind = partner.stretch === entry.stretch && partner.position < entry.position;
      if (!isBehind) report("misplaced-result", entry);
    } else if (!isForeign) report("orphan-result", entry);
    if (type === "call" || isForeign) seen.add(id);
  }
}

/** The calls with one id, in the latest stretch that has one. */
interface LatestCalls {
  readonly stretch: number;
  readonly calls: Entry[];
  /** How many of them have a result. */
  answered: number;
}

/**
 * The messages with their calls and results, paired. A result belongs to the call with its id in the
 * nearest stretch that has such a call before it. If that has several, the result belongs to the
 * first one without a result.
 */
export function pair(messages: readonly unknown[]): PairedHistory {
  const latest = new Map<string, LatestCalls>();
  /** The ids of calls that are none of ours; `undefined` for one that the history does not show. */
  const others = new Set<string | undefined>();
  const dialect = dialectOf(messages);
  let stretch = 0;
  let isAnswered = false;
  const paired = messages.map((value, position): PairedMessage => {
    const message = objectOr(value);
    const references = dialect?.readReferences(message) ?? [];
    const isOfModel = (message["role"] ?? "assistant") === "assistant";
    const isHead = references.length === 0 || references.some(({ type }) => type === "call");
    if (isHead && (isAnswered || !dialect?.isItemized || !isOfModel)) stretch += 1;
    isAnswered = !isHead;
    for (const id of dialect?.readOthers?.(message) ?? []) others.add(id);
    const entries = references.map((reference): Entry =>
      Object.assign(reference, { position, stretch, partner: undefined, isForeign: false }),
    );
    for (const entry of entries) {
      const { id } = entry;
      const found = latest.get(id);
      if (entry.type === "call") {
        if (found?.stretch === stretch) found.calls.push(entry);
        else latest.set(id, { stretch, calls: [entry], answered: 0 });
        continue;
      }
      const partner = found?.calls[found.answered];
      if (found !== undefined && partner !== undefined) {
        found.answered += 1;
        partner.partner = entry;
        entry.partner = partner;
      } else if (others.has(id) || (others.has(undefined) && found === undefined)) {
        entry.isForeign = true;
        // One result for each call, also for one that the history does not show.
        latest.set(id, found ?? { stretch: -1, calls: [], answered: 0 });
      }
    }
    return { entries, isHead, stretch };
  });
  return { dialect, messages: paired, entries: paired.flatMap(({ entries }) => entries) };
}
