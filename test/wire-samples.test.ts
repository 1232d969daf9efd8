import { describe, expect, test } from "vitest";
import { readEvents } from "./bodies.ts";
import { brief } from "./chat-chunks.ts";
import { CUTS } from "./cuts.ts";
import { fixtureBytes, fixtureNames } from "./fixtures.ts";
import { chatMessage } from "./chat-message.ts";

interface Sample {
  readonly calls?: string[];
  readonly providerIds?: (string | undefined)[];
  readonly content?: string | null;
  readonly reasoning?: string;
  readonly finishReason?: string | null;
  readonly error?: string;
  readonly totalTokens?: number;
}

const tokyo = 'get_weather {"city": "Tokyo"} complete';
const paris = 'get_weather {"city": "Paris"} complete';

/** What vLLM and Moonshot send, by file, and what it says. */
const samples: Record<string, Sample> = {
  "chat-error-first.sse": { error: "provider-error", finishReason: null },
  "chat-error.sse": {
    calls: ['get_weather {"city": "To truncated'],
    providerIds: ["functions.get_weather:0"],
    error: "provider-error",
    finishReason: null,
  },
  "chat-hermes.sse": {
    calls: [tokyo],
    providerIds: ["chatcmpl-tool-0f8e7d6c5b4a49388271605f4e3d2c1b"],
  },
  "chat-k2.sse": {
    calls: [tokyo, 'get_time {"tz": "Asia/Tokyo"} complete'],
    providerIds: ["functions.get_weather:0", "functions.get_time:1"],
    reasoning: "Look it up.",
  },
  "chat-k3-fixed.sse": {
    calls: [tokyo],
    providerIds: ["chatcmpl-tool-5d0a4c2b7e1f4c6d8b9a0f1e2d3c4b5a"],
    content: "Let me check.",
    reasoning: "The user asks about Tokyo.",
  },
  "chat-k3-parallel-onechunk.sse": {
    calls: [tokyo, paris],
    providerIds: ["get_weather:0", "get_weather:1"],
    reasoning: "Two cities.",
  },
  "chat-k3-parallel.sse": {
    calls: [tokyo, paris],
    providerIds: ["get_weather:0", "get_weather:1"],
    reasoning: "Two cities.",
  },
  "chat-k3-rust.sse": {
    calls: ['get_weather {"city":"Tokyo"} complete'],
    providerIds: ["get_weather:0"],
    reasoning: "The user asks about Tokyo.",
  },
  "chat-k3-turn2.sse": { calls: [paris], providerIds: ["get_weather:0"], reasoning: "Now Paris." },
  "chat-k3.sse": {
    calls: [tokyo],
    providerIds: ["get_weather:0"],
    content: "Let me check.",
    reasoning: "The user asks about Tokyo.",
  },
  "chat-length.sse": {
    calls: ['get_weather {"city": "To truncated'],
    providerIds: ["functions.get_weather:0"],
    finishReason: "length",
  },
  "chat-moonshot-api.sse": {
    calls: ['search {"query":"vLLM"} complete'],
    providerIds: ["search:0"],
    reasoning: "Look it up.",
    totalTokens: 150,
  },
  "chat-truncated.sse": {
    calls: ['get_weather {"city": "To truncated'],
    providerIds: ["functions.get_weather:0"],
    error: "truncated-response",
    finishReason: null,
  },
  "chat-usage.sse": {
    calls: [tokyo],
    providerIds: ["get_weather:0"],
    content: "Let me check.",
    reasoning: "The user asks about Tokyo.",
    totalTokens: 470,
  },
};

test("every sample has its result", () => {
  expect(fixtureNames("wire", ".sse")).toEqual(Object.keys(samples).sort());
});

describe.each(Object.entries(samples))("%s", (file, sample) => {
  const bytes = fixtureBytes(`wire/${file}`);

  test.each(CUTS)("cut: $name", async ({ cut }) => {
    const { events, error, completion } = await readEvents(cut(bytes));
    const found = events.flatMap((event) => (event.type === "tool-call" ? [event.call] : []));
    expect({
      calls: brief(found),
      providerIds: found.map(({ providerId }) => providerId),
      content: chatMessage(completion)?.content ?? null,
      reasoning: chatMessage(completion)?.reasoning ?? chatMessage(completion)?.reasoning_content,
      finishReason: completion.finishReason,
      error: (error as { code?: string } | undefined)?.code,
      totalTokens: completion.usage?.["total_tokens"],
    }).toEqual({
      calls: [],
      providerIds: [],
      content: null,
      finishReason: "tool_calls",
      ...sample,
    });
    expect(completion.diagnostics).toEqual([]);
  });
});
