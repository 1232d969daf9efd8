import OpenAI from "openai";
import { expect, test } from "vitest";
import { readEvents } from "../../test/bodies.ts";
import { cleanBodies, comparable, fetchOf } from "./dialect-fixtures.ts";

const NOT_STARTED = "an item that ends must have started, and both must say at which index";
const NOT_DONE = "an item that has started must end before the response does";
const OTHER_IDS = "an item must have the same id in all events and in the response";
const PART_NOT_STARTED = "a text must be of a part that has started";
const ONE_INDEX = "two items may not have one index, nor may one start twice";

/** Where the SDK throws or makes something else of a body. It is stricter than the servers are. */
const EXCEPTIONS: Readonly<Record<string, string>> = {
  "corpus-dialects/responses-06-item-done-alone.sse": NOT_STARTED,
  "corpus-dialects/responses-09-no-item-done.sse": NOT_DONE,
  "corpus-dialects/responses-10-completed-finishes-args.sse": OTHER_IDS,
  "corpus-dialects/responses-12-never-added.sse": NOT_STARTED,
  "corpus-dialects/responses-15-rotated-ids-interleaved.sse": OTHER_IDS,
  "corpus-dialects/responses-16-no-output-index-no-item-id.sse": NOT_STARTED,
  "corpus-dialects/responses-18-output-index-zero-interleaved.sse": ONE_INDEX,
  "corpus-dialects/responses-19-done-item-without-id.sse": OTHER_IDS,
  "corpus-dialects/responses-21-terminal-ids-differ.sse":
    "the response at the end replaces what came before, white space in the arguments included",
  "corpus-dialects/responses-22-call-id-missing.sse": "a call must have an id",
  "corpus-dialects/responses-25-prefix-in-added-deltas-continue.sse": NOT_DONE,
  "corpus-dialects/responses-33-completed-twice.sse": OTHER_IDS,
  "corpus-dialects/responses-34-events-doubled.sse": ONE_INDEX,
  "corpus-dialects/responses-49-hosted-items.sse": NOT_STARTED,
  "corpus-dialects/responses-51-keepalive-events.sse": "events that it does not know are refused",
  "corpus-dialects/responses-54-json-body.sse": "a body that is no event stream is not read",
  "corpus-dialects/responses-55-foreign-messages-events.sse":
    "events that it does not know are refused",
  "corpus-dialects/responses-63-call-with-its-output.sse": PART_NOT_STARTED,
  "corpus-dialects/responses-64-text-only-in-text-done.sse": PART_NOT_STARTED,
  "corpus-dialects/responses-68-reasoning-item-with-output-text.sse": PART_NOT_STARTED,
  "wire-samples/responses-k3.sse": "events that it does not know are refused",
};

/**
 * Ids are fresh in ours, and items go back without theirs. The status of an item is left out of some
 * responses; what was parsed is the SDK's own.
 */
const IGNORED = [
  "id",
  "item_id",
  "call_id",
  "output_index",
  "status",
  "parsed",
  "parsed_arguments",
];

const clean = await cleanBodies("responses");

test("Every exception is a clean body", () => {
  expect(clean.map(({ file }) => file)).toEqual(expect.arrayContaining(Object.keys(EXCEPTIONS)));
});

test.each(clean.filter(({ file }) => !(file in EXCEPTIONS)))(
  "The items of $file are what the SDK makes of it",
  async ({ text }) => {
    expect(await itemsOf(text)).toEqual(await itemsOfSdk(text));
  },
);

test.each(clean.filter(({ file }) => file in EXCEPTIONS))(
  "The SDK makes something else of $file",
  async ({ file, text }) => {
    const theirs = await itemsOfSdk(text).catch(() => undefined);
    expect(theirs, EXCEPTIONS[file]).not.toEqual(await itemsOf(text));
  },
);

async function itemsOf(text: string): Promise<unknown> {
  const { completion } = await readEvents([text]);
  return comparable(completion.message, IGNORED);
}

async function itemsOfSdk(text: string): Promise<unknown> {
  const client = new OpenAI({ apiKey: "none", maxRetries: 0, fetch: fetchOf(text) });
  const { output } = await client.responses.stream({ model: "any", input: "" }).finalResponse();
  return comparable(output, IGNORED);
}
