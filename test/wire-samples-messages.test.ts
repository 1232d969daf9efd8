import { describe, expect, test } from "vitest";
import { readEvents } from "./bodies.ts";
import { brief } from "./chat-chunks.ts";
import { CUTS } from "./cuts.ts";
import { fixtureBytes, fixtureNames } from "./fixtures.ts";
import { messagesMessage } from "./messages-message.ts";

interface Sample {
  readonly calls: string[];
  readonly providerIds: string[];
  /** The message, calls by their provider's ids. */
  readonly content: object[];
  readonly error?: string;
}

const thinking = {
  type: "thinking",
  thinking: "The user asks about Tokyo.",
  signature: "1f0e2d3c4b5a69788796a5b4c3d2e1f0",
};

const use = (id: string, name: string, input: object = {}): object => ({
  type: "tool_use",
  id,
  name,
  input,
});

const weather = (id: string, city: string): object => use(id, "get_weather", { city });

const tokyo = 'get_weather {"city": "Tokyo"} complete';
const paris = 'get_weather {"city": "Paris"} complete';

/** What vLLM sends in the messages dialect, by file, and what it says. */
const samples: Record<string, Sample> = {
  "messages-empty-args.sse": {
    calls: ["list_dir {} complete"],
    providerIds: ["list_dir:0"],
    content: [use("list_dir:0", "list_dir")],
  },
  "messages-error.sse": {
    calls: ['get_weather {"city": "To truncated'],
    providerIds: ["functions.get_weather:0"],
    content: [use("functions.get_weather:0", "get_weather")],
    error: "provider-error",
  },
  "messages-k2.sse": {
    calls: [tokyo, 'get_time {"tz": "Asia/Tokyo"} complete'],
    providerIds: ["functions.get_weather:0", "functions.get_time:1"],
    content: [
      weather("functions.get_weather:0", "Tokyo"),
      use("functions.get_time:1", "get_time", { tz: "Asia/Tokyo" }),
    ],
  },
  "messages-k3-turn2.sse": {
    calls: [paris],
    providerIds: ["get_weather:0"],
    content: [thinking, weather("get_weather:0", "Paris")],
  },
  "messages-k3.sse": {
    calls: [tokyo],
    providerIds: ["get_weather:0"],
    content: [thinking, { type: "text", text: "Let me check." }, weather("get_weather:0", "Tokyo")],
  },
  "messages-parallel.sse": {
    calls: [tokyo, paris],
    providerIds: ["get_weather:0", "get_weather:1"],
    content: [thinking, weather("get_weather:0", "Tokyo"), weather("get_weather:1", "Paris")],
  },
};

test("every sample has its result", () => {
  const names = fixtureNames("wire-samples", ".sse").filter((name) => name.startsWith("messages-"));
  expect(names).toEqual(Object.keys(samples).sort());
});

describe.each(Object.entries(samples))("%s", (file, { calls, providerIds, content, error }) => {
  const bytes = fixtureBytes(`wire-samples/${file}`);

  test.each(CUTS)("cut: $name", async ({ cut }) => {
    const reading = await readEvents(cut(bytes));
    const { completion } = reading;
    const found = reading.events.flatMap((event) =>
      event.type === "tool-call" ? [event.call] : [],
    );
    expect(brief(found)).toEqual(calls);
    expect(found.map(({ providerId }) => providerId)).toEqual(providerIds);
    expect((reading.error as { code?: string } | undefined)?.code).toBe(error);

    const ids = new Map(found.map(({ id, providerId }) => [id, providerId]));
    const blocks = messagesMessage(completion)?.content ?? [];
    expect(
      blocks.map((block) =>
        block.type === "tool_use"
          ? Object.assign({}, block, { id: ids.get(`${block["id"]}`) })
          : block,
      ),
    ).toEqual(content);
    const isWhole = error === undefined;
    expect(completion.finishReason).toBe(isWhole ? "tool_use" : null);
    expect(completion.usage).toEqual({
      input_tokens: 412,
      output_tokens: isWhole ? 58 : 0,
    });
    expect(completion.diagnostics).toEqual([]);
  });
});
