import { describe, expect, test } from "vitest";
import type { Completion } from "../src/index.ts";
import { readEvents } from "./bodies.ts";
import { CUTS } from "./cuts.ts";
import { errorCodes, fixtureBytes, fixtureNames, fixtureText } from "./fixtures.ts";
import { reasoningOf, written } from "./written.ts";
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
    readonly reasoning?: string;
    readonly message?: unknown;
    readonly response?: object;
  };
}

/** How the fixtures fail: by the error that ends the response, or by a diagnostic that is one. */
const ERROR_CODES: Readonly<Record<string, string>> = {
  "messages-09-eof-mid-input.json": "truncated-response",
  "messages-10-no-terminal-frames.json": "truncated-response",
  "messages-19-several-objects-one-block.json": "late-text",
  "messages-27-error-event-mid.json": "provider-error",
  "messages-28-error-event-first.json": "provider-error",
  "messages-31-spliced-second-generation.json": "truncated-response",
  "responses-03-done-sentinel-alone.json": "truncated-response",
  "responses-30-done-text-differs.json": "late-text",
  "responses-36-no-terminal-event.json": "truncated-response",
  "responses-37-eof-mid-arguments.json": "truncated-response",
  "responses-39-failed-then-error.json": "provider-error",
  "responses-40-error-event-flat.json": "provider-error",
  "responses-42-error-bare-first.json": "provider-error",
  "responses-48-custom-tool-eof.json": "truncated-response",
};

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
      ? (completion.message ?? []).flatMap(({ type, content }) =>
          // In a reasoning item all is reasoning, whatever its parts are called.
          type === "reasoning" ? [] : ((content ?? []) as Part[]),
        )
      : (messagesMessage(completion)?.content ?? []);
  const isText = ({ type }: Part): boolean => type === "text" || type === "output_text";
  return parts.map((part) => (isText(part) ? part.text : "")).join("");
}

test("every fixture that fails has its code", () => {
  const failing = cases.filter(({ expected }) => expected.error !== null);
  expect(failing.map(({ file }) => file)).toEqual(Object.keys(ERROR_CODES).sort());
});

describe.each(cases)("$file: $title", ({ file, dialect, expected, bytes }) => {
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
    if (expected.reasoning !== undefined) expect(reasoningOf(events)).toBe(expected.reasoning);
    if (expected.message !== undefined) expect(written(completion)).toEqual(expected.message);
    if (expected.response !== undefined) {
      expect(completion.response).toMatchObject(expected.response);
    }
    // A body that is nothing but an error is of no dialect.
    expect(completion.dialect ?? dialect).toBe(dialect);

    expect(errorCodes(error, completion)).toEqual(
      expected.error === null ? [] : [ERROR_CODES[file]],
    );
  });
});
