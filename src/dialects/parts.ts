import type { ToolCall } from "../types.ts";

/** What a message consists of where it is a list: the drafts of parts, and between them calls. */
export type Parts<Draft> = (Draft | typeof CALL_PLACE)[];

/** The place of a call among the parts: the n-th is that of the call of index n. */
export const CALL_PLACE = "call";

/** What part deltas have in common where there is one choice, and nothing comes whole. */
export const PART = { choice: 0, isWhole: false } as const;

/** A call delta of such a dialect that says nothing yet. */
export const CALL = {
  type: "call",
  choice: 0,
  id: undefined,
  name: undefined,
  isCustom: false,
  isFurther: false,
  isWhole: false,
  fragment: "",
  isSnapshot: false,
  extra: undefined,
  places: [],
} as const;

/** The parts in the order in which they began, the calls where they stood among them. */
export function writeParts<Draft, Part>(
  parts: Parts<Draft>,
  calls: readonly ToolCall[],
  writePart: (draft: Draft) => Part,
  writeCall: (call: ToolCall) => Part,
): Part[] {
  const rest = new Map(calls.map((call) => [call.index, call]));
  const written: Part[] = [];
  let count = 0;
  for (const part of parts) {
    if (part !== CALL_PLACE) {
      written.push(writePart(part));
      continue;
    }
    const call = rest.get(count);
    // It may be open yet, or have been dropped as a copy.
    if (call !== undefined) written.push(writeCall(call));
    rest.delete(count);
    count += 1;
  }
  return [...written, ...[...rest.values()].map(writeCall)];
}
