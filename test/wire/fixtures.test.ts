import { describe, expect, test } from "vitest";
import type { ToolCall } from "../../src/index.ts";
import { readEvents } from "../bodies.ts";
import { brief } from "../chat-chunks.ts";
import { CUTS } from "../cuts.ts";
import { fixtureBytes, fixtureNames } from "../fixtures.ts";
import { isRandomId } from "../../src/wire/random-ids.ts";
import { bytesAsText, rewrite, withoutIds } from "./rewriting.ts";

const bodies = ["corpus", "corpus-dialects", "wire-samples"].flatMap((folder) =>
  fixtureNames(folder, ".sse").map((file) => ({ path: `${folder}/${file}` })),
);

/** What a call is, its ids aside. */
function factsOf({ id: _id, providerId: _providerId, ...facts }: ToolCall): object {
  return { ...facts, error: facts.error?.code };
}

/** What calls say, short, copies aside. */
const distinct = (list: readonly ToolCall[]): string[] => [...new Set(brief(list))];

describe.each(bodies)("$path on the wire", ({ path }) => {
  const bytes = fixtureBytes(path);
  const output = rewrite([bytes]);

  test.each(CUTS)("is the same, cut: $name", ({ cut }) => {
    expect(bytesAsText(rewrite(cut(bytes)))).toBe(bytesAsText(output));
  });

  test("has other ids, and nothing else", () => {
    expect(withoutIds(output)).toBe(withoutIds(bytes));
  });

  test("holds the same calls, each with an id of its own", async () => {
    const [before, after] = [await readEvents([bytes]), await readEvents([output])];
    const codes = new Set(
      [before, after].flatMap((each) => each.completion.diagnostics.map(({ code }) => code)),
    );
    const { toolCalls } = after.completion;
    // Which calls are one by their arguments alone is not known when their ids go out.
    if (codes.has("repeated-call") || codes.has("further-call")) {
      expect(distinct(toolCalls)).toEqual(distinct(before.completion.toolCalls));
      return;
    }
    expect(toolCalls.map(factsOf)).toEqual(before.completion.toolCalls.map(factsOf));
    const ids = toolCalls.flatMap(({ providerId }) => providerId ?? []);
    expect(new Set(ids).size).toBe(ids.length);
    const own = new Set(before.completion.toolCalls.map(({ providerId }) => providerId));
    const kept = ids.filter((id) => !id.startsWith("fresh-"));
    expect(kept.filter((id) => !own.has(id) || !isRandomId(id))).toEqual([]);
  });
});
