// What is wrong with a history. It pairs as Kimi K3 does, a result with a call of the turn before
// it: so an id that repeats is no fault in itself, but what a client makes of it may be.

import { isDeepStrictEqual } from "node:util";

/** @import { ScriptedCall } from "./scenarios.js" */
/** @import { Entry } from "./server.js" */

/**
 * How often a fault is in a history, by its name.
 *
 * @typedef {Record<string, number>} Faults
 */

/**
 * @param {Entry[]} entries
 * @param {ScriptedCall[]} script the calls of the model, in their order
 * @param {{ areIdsUnique: boolean }} demands
 * @returns {Faults}
 */
export function judge(entries, script, { areIdsUnique }) {
  /** @type {Faults} */
  const faults = {};
  /** @param {string} fault */
  const add = (fault, times = 1) => {
    if (times > 0) faults[fault] = (faults[fault] ?? 0) + times;
  };

  /** The calls of the turn, by their ids. @type {Map<string, Call>} */
  let turn = new Map();
  let hasResults = false;
  /** How many calls of the script are behind. */
  let behind = 0;
  const seen = new Set();

  const endTurn = () => {
    for (const { isAnswered } of turn.values()) if (!isAnswered) add("missing result");
    turn = new Map();
    hasResults = false;
  };

  for (const entry of entries) {
    if (entry.kind === "break" || (entry.kind === "call" && hasResults)) endTurn();
    if (entry.kind === "call") {
      const { name, input } = entry;
      const index = script.findIndex(
        (call, at) => at >= behind && call.name === name && isDeepStrictEqual(call.input, input),
      );
      if (index < 0) add("extra call");
      else {
        add("missing call", index - behind);
        behind = index + 1;
      }
      if (turn.has(entry.id)) add("duplicate call");
      if (areIdsUnique && seen.has(entry.id)) add("repeated id");
      seen.add(entry.id);
      turn.set(entry.id, { result: script[index]?.result ?? "", isAnswered: false });
    } else if (entry.kind === "result") {
      hasResults = true;
      const call = turn.get(entry.id);
      if (call === undefined) add("orphan result");
      else if (call.isAnswered) add("duplicate result");
      else {
        call.isAnswered = true;
        if (!entry.text.includes(call.result)) add("wrong result");
      }
    }
  }
  endTurn();
  add("missing call", script.length - behind);
  return faults;
}

/** @typedef {{ result: string, isAnswered: boolean }} Call */
