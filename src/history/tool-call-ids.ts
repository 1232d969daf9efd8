import type { PlacedId } from "../dialects/dialect.ts";
import { WRITERS } from "../dialects/histories.ts";
import type { JsonObject } from "../json/object.ts";
import { type Entry, pair, type PairedHistory } from "./pairing.ts";

/** A call in a history, as a rule for ids sees it. */
export interface HistoryCall {
  readonly id: string;
  readonly name: string;
  /** The position among all calls of the history, from 0. */
  readonly number: number;
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
  const history = pair(messages);
  const { dialect } = history;
  return newIds(history, rule).map((places, position) => {
    const message = messages[position] as Message;
    if (dialect === undefined || places.length === 0) return message;
    const parts = places.map(({ id, holder, field }) => ({ ...holder, [field]: id }));
    // A dialect writes the same kind of message as it reads.
    return WRITERS[dialect.name](message as JsonObject, parts) as Message;
  });
}

/** The ids that {@link mapToolCallIds} gives to the calls and results of each message. */
export function newIds(
  { messages, entries }: PairedHistory,
  rule: (call: HistoryCall) => string,
): PlacedId[][] {
  const ids = new Map<Entry, string>();
  let number = 0;
  for (const entry of entries) {
    if (entry.type !== "call") continue;
    const { id, name } = entry;
    ids.set(entry, name === undefined ? id : rule({ id, name, number }));
    number += 1;
  }
  return messages.map((message) =>
    message.entries.map((entry) => {
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
