import { describe, expect, test } from "vitest";
import type { Completion } from "../src/index.ts";
import { readEvents } from "./bodies.ts";
import { CUTS } from "./cuts.ts";
import { errorCodes, fixtureBytes, fixtureNames, fixtureText } from "./fixtures.ts";
import { reasoningOf, written } from "./written.ts";
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
    readonly reasoning?: string;
    readonly message?: unknown;
    readonly response?: object;
  };
}

/** The text of the content, which is a list of parts where it holds more. */
function contentText(completion: Completion): string {
  const content: unknown = chatMessage(completion)?.content ?? "";
  if (!Array.isArray(content)) return content as string;
  return content.map(({ type, text }) => (type === "text" ? text : "")).join("");
}

/** How the fixtures fail: by the error that ends the response, or by a diagnostic that is one. */
const ERROR_CODES: Readonly<Record<string, string>> = {
  "09-eof-mid-arguments.json": "truncated-response",
  "21-error-object-mid-stream.json": "provider-error",
  "52-no-finish-no-done-complete-args.json": "truncated-response",
  "57-event-error.json": "provider-error",
  "58-error-inside-choice.json": "provider-error",
  "63-glued-frames.json": "damaged-event",
  "85-error-as-field-name.json": "provider-error",
  "88-raw-control-char-in-chunk-json.json": "damaged-event",
  "96-html-error-page.json": "not-an-event-stream",
  "97-json-error-array-body.json": "provider-error",
  "111-unframed-error-in-stream.json": "provider-error",
  "113-error-as-plain-data.json": "damaged-event",
  "114-success-envelope.json": "not-an-event-stream",
  "122-finish-reason-after-every-chunk-cut.json": "truncated-response",
};

const cases = fixtureNames("corpus", ".json").map((file) => {
  const { title, expected }: Expected = JSON.parse(fixtureText(`corpus/${file}`));
  return { file, title, expected, bytes: fixtureBytes(`corpus/${file.replace(".json", ".sse")}`) };
});

test("every fixture that fails has its code", () => {
  const failing = cases.filter(({ expected }) => expected.error !== null);
  expect(failing.map(({ file }) => file)).toEqual(Object.keys(ERROR_CODES).sort());
});

describe.each(cases)("$file: $title", ({ file, expected, bytes }) => {
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
    expect(contentText(completion)).toBe(expected.content);
    expect(completion.finishReason).toBe(expected.finishReason);
    if (expected.reasoning !== undefined) expect(reasoningOf(events)).toBe(expected.reasoning);
    if (expected.message !== undefined) expect(written(completion)).toEqual(expected.message);
    if (expected.response !== undefined) {
      expect(completion.response).toMatchObject(expected.response);
    }

    expect(errorCodes(error, completion)).toEqual(
      expected.error === null ? [] : [ERROR_CODES[file]],
    );
  });

  test("a call's fragments, joined, are its arguments, unless these were repaired", async () => {
    const { events, completion } = await readEvents([bytes]);
    const idsWith = (code: string): (string | undefined)[] =>
      completion.diagnostics.flatMap((each) => (each.code === code ? [each.id] : []));
    const shown = new Map(completion.toolCalls.map(({ id }) => [id, ""]));
    const others = new Set<string>();
    for (const event of events) {
      if (event.type !== "tool-call-delta") continue;
      const before = shown.get(event.id);
      if (before === undefined) others.add(event.id);
      else shown.set(event.id, before + event.fragment);
    }
    const differing = completion.toolCalls.filter((call) => shown.get(call.id) !== call.arguments);
    expect(differing.map(({ id }) => id)).toEqual(idsWith("repaired-arguments"));
    // What was shown of a call before it turned out to be a copy.
    expect([...others]).toEqual(idsWith("repeated-call"));
  });
});
