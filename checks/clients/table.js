// What the clients made of it, as a table.

/** @import { Outcome } from "./child.js" */

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {string} versions
 * @property {string} dialect
 * @property {(Record<string, Outcome> | undefined)[]} ways
 */

const HEAD = [
  "client",
  "versions",
  "dialect",
  "plain",
  "unique ids",
  "`uniqueToolCallIds`",
  "proxy",
];

/** @param {Row[]} rows @returns {string} */
export function tableOf(rows) {
  return [
    HEAD,
    HEAD.map(() => "---"),
    ...rows.map(({ name, versions, dialect, ways }) => [
      name,
      versions,
      dialect,
      ...ways.map(cellOf),
    ]),
  ]
    .map((cells) => `| ${cells.join(" | ")} |`)
    .join("\n");
}

/** @param {Record<string, Outcome> | undefined} outcomes */
function cellOf(outcomes) {
  if (outcomes === undefined) return "-";
  const all = Object.values(outcomes);
  const ran = sum(all.map((outcome) => outcome.ran));
  const expected = sum(all.map((outcome) => outcome.expected));
  const faults = sum(all.flatMap((outcome) => Object.values(outcome.faults)));
  const repairs = sum(all.map((outcome) => outcome.repairs ?? 0));
  const failed = all.filter(({ error }) => error !== null).length;
  return [
    `${ran}/${expected}`,
    ...(faults > 0 ? [`**${faults} faults**`] : []),
    ...(repairs > 0 ? [`**${repairs} repairs**`] : []),
    ...(failed > 0 ? [`**${failed} of ${all.length} failed**`] : []),
  ].join(", ");
}

/** @param {number[]} numbers */
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);
