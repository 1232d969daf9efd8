import Anthropic from "@anthropic-ai/sdk";
import { expect, test } from "vitest";
import { readEvents } from "../../test/bodies.ts";
import { cleanBodies, comparable, fetchOf } from "./dialect-fixtures.ts";

const BLANK_TEXT = "a text block without text stays, which its own API rejects in the next request";

/** Where the SDK throws or makes something else of a body, and is wrong. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "corpus-dialects/messages-12-index-reused-after-server-tool.sse":
    "an index is a position for it, so what comes for a second block of one goes to the first",
  "corpus-dialects/messages-13-all-tools-index-0.sse":
    "an index is a position for it, so what comes for a second block of one goes to the first",
  "corpus-dialects/messages-15-delta-for-unstarted-index.sse":
    "input for an index that no block has is dropped, though only one tool waits for any",
  "corpus-dialects/messages-16-deltas-after-stop.sse": BLANK_TEXT,
  "corpus-dialects/messages-21-id-absent-empty-null.sse":
    "an empty id stays; ours says there is none",
  "corpus-dialects/messages-22-sparse-indices-no-message-start.sse":
    "without a start of the message it reads nothing",
  "corpus-dialects/messages-24-thinking-redacted-citations.sse":
    "the last piece of a signature replaces those before, and fields of deltas that it does not know are dropped",
  "corpus-dialects/messages-25-event-lines-missing.sse": "events without a name are not read",
  "corpus-dialects/messages-30-message-start-repeated.sse":
    "the start of the message may not come twice",
  "corpus-dialects/messages-33-end-turn-with-call.sse": BLANK_TEXT,
  "corpus-dialects/messages-42-input-as-string.sse":
    "input that came as a string stays one, which its own API rejects",
  "corpus-dialects/messages-47-empty-text-block.sse": BLANK_TEXT,
};

const clean = await cleanBodies("messages");

test("Every exception is a clean body", () => {
  expect(clean.map(({ file }) => file)).toEqual(expect.arrayContaining(Object.keys(EXCEPTIONS)));
});

test.each(clean.filter(({ file }) => !(file in EXCEPTIONS)))(
  "The message of $file is what the SDK makes of it",
  async ({ text }) => {
    expect(await contentOf(text)).toEqual(await contentOfSdk(text));
  },
);

test.each(clean.filter(({ file }) => file in EXCEPTIONS))(
  "The SDK makes something else of $file",
  async ({ file, text }) => {
    const theirs = await contentOfSdk(text).catch(() => undefined);
    expect(theirs, EXCEPTIONS[file]).not.toEqual(await contentOf(text));
  },
);

/** Ids are fresh in ours: those of the server are beside them. */
async function contentOf(text: string): Promise<unknown> {
  const { completion } = await readEvents([text]);
  if (completion.dialect !== "messages") throw new Error("The body is of another dialect");
  const providerIds = new Map(completion.toolCalls.map(({ id, providerId }) => [id, providerId]));
  const blocks = completion.message?.content.map((block) =>
    block.type === "tool_use"
      ? Object.assign({}, block, { id: providerIds.get(`${block["id"]}`) })
      : block,
  );
  return comparable(blocks, []);
}

async function contentOfSdk(text: string): Promise<unknown> {
  const client = new Anthropic({ apiKey: "none", maxRetries: 0, fetch: fetchOf(text) });
  const stream = client.messages.stream({ model: "any", max_tokens: 1, messages: [] });
  const { content } = await stream.finalMessage();
  return comparable(content, []);
}
