import { describe, expect, test } from "vitest";
import type { Completion } from "../src/index.ts";
import { readEvents } from "./bodies.ts";
import { CUTS } from "./cuts.ts";
import { fixtureBytes, fixtureNames, fixtureText } from "./fixtures.ts";
import { messagesMessage } from "./messages-message.ts";

interface Expected {
  readonly title: string;
  readonly dialect: string;
  readonly expected: {
    readonly toolCalls: readonly {
      readonly name: string;
      readonly arguments: string;
      readonly complete: boolean;
      readonly type: string;
    }[];
    readonly content: string;
    readonly finishReason: string | null;
    readonly error: string | null;
  };
}

const cases = fixtureNames("corpus-dialects", ".json").map((file) => {
  const { title, dialect, expected }: Expected = JSON.parse(fixtureText(`corpus-dialects/${file}`));
  const bytes = fixtureBytes(`corpus-dialects/${file.replace(".json", ".sse")}`);
  return { file, title, dialect, expected, bytes };
});

interface Part {
  readonly type: string;
  readonly text?: unknown;
}

/** The text that the message shows. */
function contentOf(completion: Completion): string {
  const parts: readonly Part[] =
    completion.dialect === "responses"
      ? (completion.message ?? []).flatMap(({ content }) => (content ?? []) as Part[])
      : (messagesMessage(completion)?.content ?? []);
  const isText = ({ type }: Part): boolean => type === "text" || type === "output_text";
  return parts.map((part) => (isText(part) ? part.text : "")).join("");
}

describe.each(cases)("$file: $title", ({ dialect, expected, bytes }) => {
  test.each(CUTS)("cut: $name", async ({ cut }) => {
    const { events, error, completion } = await readEvents(cut(bytes));
    const calls = events.flatMap((event) => (event.type === "tool-call" ? [event.call] : []));
    expect(
      calls
        .sort((a, b) => a.index - b.index)
        .map((call) => ({
          name: call.name,
          arguments: call.arguments,
          complete: call.status === "complete",
          type: call.type,
        })),
    ).toEqual(expected.toolCalls);
    expect(contentOf(completion)).toBe(expected.content);
    expect(completion.finishReason).toBe(expected.finishReason);
    // A body that is nothing but an error is of no dialect.
    expect(completion.dialect ?? dialect).toBe(dialect);

    const hasError =
      error !== undefined || completion.diagnostics.some(({ severity }) => severity === "error");
    expect(hasError).toBe(expected.error !== null);
  });
});
