import { isDeepStrictEqual } from "node:util";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import type { CompletionChoice, JsonObject } from "../../src/index.ts";
import { readEvents, sse } from "../../test/bodies.ts";
import { entry } from "../../test/chat-chunks.ts";
import { chatMessage } from "../../test/chat-message.ts";
import { fixtureNames, fixtureText } from "../../test/fixtures.ts";

/** Where the SDK makes something else of a body: it throws, or fields of the message differ. */
type Exception = { readonly because: string } & (
  | { readonly throws: string }
  | { readonly fields: readonly string[] }
);

const WITHOUT_INDEX: Exception = {
  because: "a call without an index is refused",
  throws: "invalid tool call index: undefined",
};

const SAME_INDEX: Exception = {
  because: "calls that share an index become one, whose arguments are not JSON",
  fields: ["tool_calls"],
};

const WITHOUT_CHOICES: Exception = {
  because: "an event without choices is refused",
  throws: "chunk.choices is not iterable",
};

const LAST_PIECE = "of a field that it does not know, the last piece replaces those before";

/** The SDK is wrong here, but for the one that says otherwise. */
const EXCEPTIONS: Readonly<Record<string, Exception>> = {
  "corpus/01-parallel-all-index-0.sse": SAME_INDEX,
  "corpus/06-index-missing-fragments.sse": WITHOUT_INDEX,
  "corpus/07-empty-choices-chunks.sse": WITHOUT_CHOICES,
  "corpus/13-index-starts-at-1.sse": {
    because: "an index that no call has leaves a hole in the list",
    throws: "Cannot read properties of undefined",
  },
  "corpus/19-index-missing-parallel-one-chunk.sse": WITHOUT_INDEX,
  "corpus/25-type-missing-empty-null.sse": {
    because: "a call without a type is refused",
    throws: "tool call snapshot missing `type`",
  },
  "corpus/33-leaked-markup-plus-call.sse": WITHOUT_INDEX,
  "corpus/40-reasoning-fields.sse": {
    because: "a null behind the reasoning replaces it",
    fields: ["reasoning_content"],
  },
  "corpus/48-interleaved-deltas.sse": {
    // The SDK is right, and we differ by intent: the call is out before the white space comes.
    because: "white space behind the arguments stays",
    fields: ["tool_calls"],
  },
  "corpus/51-done-but-no-finish.sse": {
    because: "[DONE] does not do for a finish reason",
    throws: "missing finish_reason for choice 0",
  },
  "corpus/55-index-minus-one.sse": {
    because: "an index below 0 is refused",
    throws: "invalid tool call index: -1",
  },
  "corpus/60-named-progress-events.sse": WITHOUT_CHOICES,
  "corpus/66-json-body-instead-of-sse.sse": {
    because: "a body that is no event stream is not read",
    throws: "request ended without sending any chunks",
  },
  "corpus/69-name-split.sse": {
    because: "the last piece of a name replaces those before",
    fields: ["tool_calls"],
  },
  "corpus/76-sparse-and-huge-index.sse": {
    because: "a call without an index is refused, and so would be one at 4,000,000,000",
    throws: "invalid tool call index: undefined",
  },
  "corpus/79-same-index-same-id-new-name.sse": SAME_INDEX,
  "corpus/100-thinking-blocks-in-pieces.sse": {
    because: LAST_PIECE,
    fields: ["reasoning_content", "thinking_blocks"],
  },
  "corpus/102-reasoning-text-opaque.sse": { because: LAST_PIECE, fields: ["reasoning_text"] },
  "corpus/103-content-parts-thinking.sse": {
    because: "a call without a type is refused",
    throws: "missing choices[0].tool_calls[0].type",
  },
  "corpus/105-reasoning-detail-names-call.sse": {
    because: LAST_PIECE,
    fields: ["reasoning_details"],
  },
  "corpus/107-images-one-per-delta.sse": { because: LAST_PIECE, fields: ["images"] },
  "corpus/123-reasoning-content-as-object.sse": {
    because: LAST_PIECE,
    fields: ["reasoning_content"],
  },
};

interface Body {
  readonly file: string;
  readonly text: string;
}

const clean: Body[] = [];
for (const body of [...fixtures("corpus"), ...fixtures("wire")]) {
  if (await isClean(body)) clean.push(body);
}

test("Most fixtures are clean, and every exception is one of them", () => {
  const names = clean.map(({ file }) => file);
  const count = fixtureNames("corpus", ".sse").length + fixtureNames("wire", ".sse").length;
  expect(names.length).toBeGreaterThan(count / 2);
  expect(names).toEqual(expect.arrayContaining(Object.keys(EXCEPTIONS)));
});

test.each(clean.filter(({ file }) => !(file in EXCEPTIONS)))(
  "Every message of $file is what the SDK makes of it",
  async ({ text }) => {
    expect(await ourMessages(text)).toEqual(await messagesOfSdk(text));
  },
);

test.each(Object.entries(EXCEPTIONS))(
  "The SDK makes something else of %s",
  async (file, exception) => {
    await expectException(fixtureText(file), exception);
  },
);

test("The message of a JSON body is the one that the SDK takes from it without streaming", async () => {
  const text = fixtureText("corpus/66-json-body-instead-of-sse.sse");
  const { completions } = sdkFor(text, "application/json").chat;
  const { choices } = await completions.create({ model: "any", messages: [] });
  expect(await ourMessages(text)).toEqual(choices.map(({ message }) => comparable({ ...message })));
});

/** Deltas of one choice after another, or of choice 0 alone, and the end of each choice. */
function bodyOf(...deltas: readonly (object | readonly [choice: number, delta: object])[]): string {
  const numbered = deltas.map((each) => (Array.isArray(each) ? each : [0, each]));
  const choices = [...new Set(numbered.map(([choice]) => choice))];
  return sse(
    ...choices.map((index) => ({ choices: [{ index, delta: { role: "assistant" } }] })),
    ...numbered.map(([index, delta]) => ({ choices: [{ index, delta }] })),
    ...choices.map((index) => ({ choices: [{ index, delta: {}, finish_reason: "stop" }] })),
    "[DONE]",
  );
}

const detail = { type: "reasoning.text", index: 0, format: "unknown" };

/** What no fixture has, with the fields that the messages of its choices have. */
const INLINE: readonly {
  readonly name: string;
  readonly text: string;
  readonly messages: readonly object[];
  readonly exception?: Exception;
}[] = [
  {
    name: "audio",
    text: bodyOf(
      { content: null, audio: { id: "audio_1", transcript: "Good " } },
      { audio: { id: "audio_1", data: "UklG", transcript: null } },
      { audio: { data: "RiQA", transcript: "day" } },
      { audio: { expires_at: 1760000000 } },
    ),
    messages: [
      {
        audio: {
          id: "audio_1",
          data: "UklGRiQA",
          transcript: "Good day",
          expires_at: 1760000000,
        },
      },
    ],
  },
  {
    name: "audio whose last piece stands for a finish reason",
    text: sse(
      { choices: [{ index: 0, delta: { role: "assistant", audio: { id: "audio_1" } } }] },
      { choices: [{ index: 0, delta: { audio: { data: "UklG", transcript: "Hi" } } }] },
      { choices: [{ index: 0, delta: { audio: { expires_at: 1760000000 } } }] },
      "[DONE]",
    ),
    messages: [
      { audio: { id: "audio_1", data: "UklG", transcript: "Hi", expires_at: 1760000000 } },
    ],
  },
  {
    name: "unknown fields of audio",
    text: bodyOf({ audio: { id: "audio_1", data: "UklG", format: "wav" } }),
    messages: [{ audio: { id: "audio_1", data: "UklG", format: "wav" } }],
    exception: { because: "only the four fields that OpenAI has are taken", fields: ["audio"] },
  },
  {
    name: "a refusal in pieces",
    text: bodyOf({ content: null, refusal: "I " }, { refusal: "cannot." }),
    messages: [{ refusal: "I cannot." }],
  },
  {
    name: "two choices whose deltas alternate",
    text: bodyOf(
      [1, { content: "one " }],
      [0, { content: "zero " }],
      [0, { tool_calls: [entry(0, "call_a", "f", '{"a"')] }],
      [1, { tool_calls: [entry(0, "call_b", "g", '{"b"')] }],
      [0, { tool_calls: [entry(0, undefined, undefined, ":0}")] }],
      [1, { tool_calls: [entry(0, undefined, undefined, ":1}")] }],
      [1, { content: "first" }],
      [0, { refusal: "no" }],
    ),
    messages: [
      { content: "zero ", refusal: "no", tool_calls: [called("call_a", "f", '{"a":0}')] },
      { content: "one first", tool_calls: [called("call_b", "g", '{"b":1}')] },
    ],
  },
  {
    name: "the signature of a thought (Gemini) on the call",
    text: bodyOf({
      tool_calls: [
        entry(0, "call_a", "f", "{}", { extra_content: { google: { thought_signature: "c2ln" } } }),
        entry(1, "call_b", "g", "{}"),
      ],
    }),
    messages: [
      {
        tool_calls: [
          {
            ...called("call_a", "f", "{}"),
            extra_content: { google: { thought_signature: "c2ln" } },
          },
          called("call_b", "g", "{}"),
        ],
      },
    ],
  },
  {
    name: "a call without an id",
    text: bodyOf({ tool_calls: [entry(0, undefined, "f", "{}")] }),
    messages: [{ tool_calls: [{ type: "function", function: { name: "f", arguments: "{}" } }] }],
  },
  {
    name: "unknown fields in pieces",
    text: bodyOf(
      { content: "a", mood: "calm", place: { x: 1, y: 1 }, seen: [1] },
      { content: "b", mood: "glad", place: { x: 2 }, seen: [2] },
    ),
    messages: [{ content: "ab", mood: "calmglad", place: { x: 2, y: 1 }, seen: [1, 2] }],
    exception: { because: LAST_PIECE, fields: ["mood", "place", "seen"] },
  },
  {
    name: "an unknown field that is null in the end",
    text: bodyOf({ content: "a", mood: "calm" }, { content: "b", mood: null }),
    messages: [{ content: "ab", mood: "calm" }],
    exception: { because: "a null replaces the value before", fields: ["mood"] },
  },
  {
    name: "unknown fields that come with later pieces of a call",
    text: bodyOf(
      { tool_calls: [entry(0, "call_a", "f", '{"a"', { mood: "calm" })] },
      { tool_calls: [{ index: 0, mood: "glad", place: { x: 1 } }] },
      { tool_calls: [entry(0, undefined, undefined, ":0}")] },
    ),
    messages: [
      { tool_calls: [{ ...called("call_a", "f", '{"a":0}'), mood: "glad", place: { x: 1 } }] },
    ],
  },
  {
    name: "reasoning_content in pieces",
    text: bodyOf({ reasoning_content: "Look " }, { reasoning_content: "it up." }, { content: "a" }),
    messages: [{ content: "a", reasoning_content: "Look it up." }],
    exception: {
      because: "the last piece replaces those before, as of a field it does not know",
      fields: ["reasoning_content"],
    },
  },
  {
    name: "reasoning and reasoning_details in pieces",
    text: bodyOf(
      { reasoning: "Look ", reasoning_details: [{ ...detail, text: "Look " }] },
      { reasoning: "it up.", reasoning_details: [{ ...detail, text: "it up." }] },
      { reasoning_details: [{ ...detail, signature: "c2ln" }] },
      { reasoning_details: [{ type: "reasoning.encrypted", index: 1, data: "ZW5j" }] },
    ),
    messages: [
      {
        reasoning: "Look it up.",
        reasoning_details: [
          { ...detail, text: "Look it up.", signature: "c2ln" },
          { type: "reasoning.encrypted", index: 1, data: "ZW5j" },
        ],
      },
    ],
    exception: {
      because: "the last piece replaces those before, as of fields it does not know",
      fields: ["reasoning", "reasoning_details"],
    },
  },
  {
    name: "unknown fields inside `function`",
    text: bodyOf({
      tool_calls: [
        {
          index: 0,
          id: "call_a",
          type: "function",
          function: { name: "f", arguments: "{}", strict: true },
        },
      ],
    }),
    messages: [
      {
        tool_calls: [
          {
            id: "call_a",
            type: "function",
            function: { name: "f", arguments: "{}", strict: true },
          },
        ],
      },
    ],
    exception: { because: "only the name and the arguments are taken", fields: ["tool_calls"] },
  },
  {
    name: "unknown fields inside `custom`",
    text: bodyOf(
      {
        tool_calls: [
          {
            index: 0,
            id: "call_a",
            type: "custom",
            custom: { name: "f", input: "1 ", lang: "js" },
          },
        ],
      },
      { tool_calls: [{ index: 0, custom: { input: "+ 1" } }] },
    ),
    messages: [
      {
        tool_calls: [
          { id: "call_a", type: "custom", custom: { name: "f", input: "1 + 1", lang: "js" } },
        ],
      },
    ],
    exception: { because: "only the name and the input are taken", fields: ["tool_calls"] },
  },
  {
    name: "an id that changes with each piece of a call",
    text: bodyOf(
      { tool_calls: [entry(0, "call_a", "f", '{"a"')] },
      { tool_calls: [entry(0, "call_b", undefined, ":0}")] },
    ),
    messages: [{ tool_calls: [called("call_a", "f", '{"a":0}')] }],
    exception: { because: "the last id counts, and not the first", fields: ["tool_calls"] },
  },
];

describe.each(INLINE)("$name", ({ text, messages, exception }) => {
  test("The messages are what the server would have sent", async () => {
    expect(await ourMessages(text)).toEqual(
      messages.map((fields) => ({ role: "assistant", ...fields })),
    );
  });

  test(`The SDK makes ${exception ? "something else" : "the same"} of it`, async () => {
    if (exception !== undefined) await expectException(text, exception);
    else expect(await ourMessages(text)).toEqual(await messagesOfSdk(text));
  });
});

function fixtures(folder: string): Body[] {
  return fixtureNames(folder, ".sse").map((name) => {
    const file = `${folder}/${name}`;
    return { file, text: fixtureText(file) };
  });
}

/** Whether nothing is wrong with a body, as its expectation says, if it has one, and our reading. */
async function isClean({ file, text }: Body): Promise<boolean> {
  if (file.startsWith("corpus/")) {
    const { expected } = JSON.parse(fixtureText(file.replace(".sse", ".json")));
    if (expected.error !== null) return false;
    if (expected.toolCalls.some((call: { complete: boolean }) => !call.complete)) return false;
  }
  const { error, completion } = await readEvents([text]);
  return (
    error === undefined &&
    completion.diagnosticCount === 0 &&
    completion.toolCalls.every(({ status }) => status === "complete")
  );
}

async function ourMessages(text: string): Promise<JsonObject[]> {
  const { completion } = await readEvents([text]);
  return completion.choices.map((choice) => comparable(withProviderIds(choice)));
}

/** Ids are fresh in ours: those of the server are beside them. */
function withProviderIds(choice: CompletionChoice): JsonObject {
  const { toolCalls } = choice;
  const message = chatMessage(choice);
  const providerIds = new Map(toolCalls.map(({ id, providerId }) => [id, providerId]));
  const list = message?.tool_calls?.map((call) => ({ ...call, id: providerIds.get(call.id) }));
  return { ...message, tool_calls: list };
}

/** The SDK, before a server that answers with this. */
function sdkFor(text: string, type: string): OpenAI {
  return new OpenAI({
    apiKey: "none",
    maxRetries: 0,
    fetch: async () => new Response(text, { headers: { "content-type": type } }),
  });
}

async function messagesOfSdk(text: string): Promise<JsonObject[]> {
  const stream = sdkFor(text, "text/event-stream").chat.completions.stream({
    model: "any",
    messages: [],
  });
  const { choices } = await stream.finalChatCompletion();
  return choices.map(({ message }) => comparable(withCurrentCalls({ ...message })));
}

/** The SDK keeps a call in the legacy `function_call`: in ours all calls stand in one place. */
function withCurrentCalls({ function_call: legacyCall, ...message }: JsonObject): JsonObject {
  if (legacyCall === undefined) return message;
  return { ...message, tool_calls: [{ type: "function", function: legacyCall }] };
}

/** What both must have the same. */
function comparable(message: JsonObject): JsonObject {
  const { tool_calls: list, ...fields } = message;
  const present = Object.entries(fields).filter(
    // `parsed` is the SDK's own, and no field of the server.
    ([field, value]) => field !== "parsed" && !isNothing(value),
  );
  return {
    ...Object.fromEntries(present),
    ...(Array.isArray(list) && list.length > 0 && { tool_calls: list.map(comparableCall) }),
  };
}

/**
 * Servers send empty content, nulls and empty lists in deltas for what is not there, and each server
 * others: that they were sent means nothing. Ours has no such fields, but for `content: null`.
 */
function isNothing(value: unknown): boolean {
  return value === null || value === "" || (Array.isArray(value) && value.length === 0);
}

/** The SDK makes up an id like this where the server sent none. */
const MADE_UP_ID = /^call_[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/;

function comparableCall({ id, ...call }: JsonObject): JsonObject {
  const isSent = typeof id === "string" && !MADE_UP_ID.test(id);
  return { ...call, ...(isSent && { id }) };
}

/** The exception holds yet, and goes no further than it says. */
async function expectException(text: string, exception: Exception): Promise<void> {
  if ("throws" in exception) {
    await expect(messagesOfSdk(text)).rejects.toThrow(exception.throws);
    return;
  }
  const ours = await ourMessages(text);
  const theirs = await messagesOfSdk(text);
  expect(theirs).toHaveLength(ours.length);
  const different = ours.flatMap((message, position) =>
    differentFields(message, theirs[position] ?? {}),
  );
  expect(different, exception.because).toEqual(exception.fields);
}

function differentFields(a: JsonObject, b: JsonObject): string[] {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  return [...names].filter((name) => !isDeepStrictEqual(a[name], b[name]));
}

/** A call as a message has it. */
function called(id: string, name: string, text: string): JsonObject {
  return { id, type: "function", function: { name, arguments: text } };
}
