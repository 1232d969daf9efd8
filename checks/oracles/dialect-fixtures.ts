import type { JsonObject } from "../../src/index.ts";
import { readEvents } from "../../test/bodies.ts";
import { fixtureNames, fixtureText } from "../../test/fixtures.ts";

/** A body of which nothing is wrong. */
export interface CleanBody {
  readonly file: string;
  readonly text: string;
}

/** The fixtures of a dialect that end without an error or a diagnostic, and with whole calls. */
export async function cleanBodies(dialect: string): Promise<CleanBody[]> {
  const files = ["corpus-dialects", "wire-samples"].flatMap((folder) =>
    fixtureNames(folder, ".sse").map((name) => `${folder}/${name}`),
  );
  const clean: CleanBody[] = [];
  for (const file of files) {
    const text = fixtureText(file);
    const { error, completion } = await readEvents([text]);
    const { toolCalls, diagnostics } = completion;
    const isWhole = toolCalls.every(({ status }) => status === "complete");
    const isClean = error === undefined && diagnostics.length === 0 && isWhole;
    if (isClean && completion.dialect === dialect) clean.push({ file, text });
  }
  return clean;
}

/** A `fetch` that answers with this event stream, whatever it is asked. */
export function fetchOf(text: string): typeof fetch {
  return async () => new Response(text, { headers: { "content-type": "text/event-stream" } });
}

/**
 * A value without what has no meaning: fields that are null, empty lists, and the `ignored` fields.
 */
export function comparable(value: unknown, ignored: readonly string[]): unknown {
  if (Array.isArray(value)) return value.map((element) => comparable(element, ignored));
  if (typeof value !== "object" || value === null) return value;
  const entries = Object.entries(value as JsonObject).filter(([field, each]) => {
    const isNothing =
      each === null || each === undefined || (Array.isArray(each) && each.length === 0);
    return !isNothing && !ignored.includes(field);
  });
  return Object.fromEntries(entries.map(([field, each]) => [field, comparable(each, ignored)]));
}
