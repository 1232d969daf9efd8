import { describe, expect, test } from "vitest";
import { readEvents } from "./bodies.ts";
import { CUTS } from "./cuts.ts";
import { fixtureBytes, fixtureNames, fixtureText } from "./fixtures.ts";
import { chatMessage } from "./chat-message.ts";

interface Expected {
  readonly title: string;
  readonly expected: {
    readonly toolCalls: readonly {
      readonly name: string;
      readonly arguments: string;
      readonly choice: number;
      readonly complete: boolean;
      readonly type?: string;
    }[];
    readonly content: string;
    readonly finishReason: string | null;
    readonly error: string | null;
  };
}

const cases = fixtureNames("corpus", ".json").map((file) => {
  const { title, expected }: Expected = JSON.parse(fixtureText(`corpus/${file}`));
  return { file, title, expected, bytes: fixtureBytes(`corpus/${file.replace(".json", ".sse")}`) };
});

describe.each(cases)("$file: $title", ({ expected, bytes }) => {
  test.each(CUTS)("cut: $name", async ({ cut }) => {
    const { events, error, completion } = await readEvents(cut(bytes));
    const calls = events.flatMap((event) => (event.type === "tool-call" ? [event.call] : []));

    const byPosition = calls.sort((a, b) => a.choice - b.choice || a.index - b.index);
    expect(
      byPosition.map((call) => ({
        name: call.name,
        arguments: call.arguments,
        choice: call.choice,
        complete: call.status === "complete",
        type: call.type,
      })),
    ).toEqual(expected.toolCalls.map((call) => ({ type: "function", ...call })));
    expect(chatMessage(completion)?.content ?? "").toBe(expected.content);
    expect(completion.finishReason).toBe(expected.finishReason);

    const hasError =
      error !== undefined || completion.diagnostics.some(({ severity }) => severity === "error");
    expect(hasError).toBe(expected.error !== null);
  });

  test("a call's fragments, joined, are its arguments, unless these were repaired", async () => {
    const { events, completion } = await readEvents([bytes]);
    const repairs = completion.diagnostics.filter(({ code }) => code === "repaired-arguments");
    const repaired = new Set(repairs.map(({ id }) => id));
    for (const call of completion.toolCalls) {
      if (repaired.has(call.id)) continue;
      const fragments = events.flatMap((event) =>
        event.type === "tool-call-delta" && event.id === call.id ? [event.fragment] : [],
      );
      expect(fragments.join("")).toBe(call.arguments);
    }
  });
});
