// Whether the judge finds what is wrong with a history, tried with histories made for it.

import { isDeepStrictEqual } from "node:util";
import { judge } from "./judge.js";

/** @import { Faults } from "./judge.js" */
/** @import { Entry } from "./server.js" */

/** @param {string} id @param {string} city @returns {Entry} */
const call = (id, city) => ({ kind: "call", id, name: "look", input: { city } });

/** @param {string} id @param {string} text @returns {Entry} */
const result = (id, text) => ({ kind: "result", id, text });

/** @type {Entry} */
const END = { kind: "break" };

/** @param {string} city @param {string} report */
const scripted = (city, report) => ({ name: "look", input: { city }, result: report });

/** Two turns: two calls side by side, and one that asks for the same as one of them. */
const SCRIPT = [scripted("Oslo", "o1"), scripted("Lima", "l1"), scripted("Oslo", "o2")];

const FIRST = [END, call("look:0", "Oslo"), call("look:1", "Lima")];
const FIRST_RESULTS = [result("look:0", "o1"), result("look:1", "l1")];
const SECOND = [END, call("look:0", "Oslo")];

/** @type {[string, Entry[], Faults, boolean?][]} */
const CASES = [
  ["all", [...FIRST, ...FIRST_RESULTS, ...SECOND, result("look:0", "o2")], {}],
  [
    "all, and each result is beside its call",
    [
      END,
      ...[0, 1].flatMap((index) => [FIRST[index + 1] ?? END, FIRST_RESULTS[index] ?? END]),
      ...SECOND,
      result("look:0", "o2"),
    ],
    {},
  ],
  ["no call", [END], { "missing call": 3 }],
  ["the second turn is missing", [...FIRST, ...FIRST_RESULTS], { "missing call": 1 }],
  ["the first turn is missing", [...SECOND, result("look:0", "o1")], { "missing call": 2 }],
  [
    "the second call has no result",
    [...FIRST, ...FIRST_RESULTS, ...SECOND],
    { "missing result": 1 },
  ],
  [
    "the second call has the first result",
    [...FIRST, ...FIRST_RESULTS, ...SECOND, result("look:0", "o1")],
    { "wrong result": 1 },
  ],
  [
    "the results are swapped",
    [...FIRST, result("look:0", "l1"), result("look:1", "o1"), ...SECOND, result("look:0", "o2")],
    { "wrong result": 2 },
  ],
  [
    "a result has the id of no call",
    [...FIRST, ...FIRST_RESULTS, ...SECOND, result("look:7", "o2")],
    { "orphan result": 1, "missing result": 1 },
  ],
  [
    "a result comes a turn too late",
    [...FIRST, result("look:0", "o1"), ...SECOND, result("look:0", "o2"), result("look:1", "l1")],
    { "orphan result": 1, "missing result": 1 },
  ],
  [
    "a result comes twice",
    [...FIRST, ...FIRST_RESULTS, ...SECOND, result("look:0", "o2"), result("look:0", "o2")],
    { "duplicate result": 1 },
  ],
  [
    "a call comes twice",
    [...FIRST, call("look:1", "Lima"), ...FIRST_RESULTS, ...SECOND, result("look:0", "o2")],
    { "extra call": 1, "duplicate call": 1 },
  ],
  [
    "a call that was not made",
    [...FIRST, ...FIRST_RESULTS, ...SECOND, result("look:0", "o2"), END, call("look:3", "Rome")],
    { "extra call": 1, "missing result": 1 },
  ],
  [
    "an id repeats, where none may",
    [...FIRST, ...FIRST_RESULTS, ...SECOND, result("look:0", "o2")],
    { "repeated id": 1 },
    true,
  ],
];

/** @returns {string[]} what the judge got wrong */
export function checkJudge() {
  return CASES.flatMap(([title, entries, expected, areIdsUnique = false]) => {
    const faults = judge(entries, SCRIPT, { areIdsUnique });
    return isDeepStrictEqual(faults, expected)
      ? []
      : [`The judge finds ${JSON.stringify(faults)} where ${title}`];
  });
}
