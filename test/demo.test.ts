import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startServer } from "../demo/server.js";
import {
  type ChatAssistantMessage,
  type ChatToolMessage,
  collect,
  type ToolCall,
  ToolCallStream,
  toolResult,
} from "../src/index.ts";
import { chatMessage } from "./chat-message.ts";

type Message = { role: "user"; content: string } | ChatAssistantMessage | ChatToolMessage;

let server: Awaited<ReturnType<typeof startServer>>;
beforeAll(async () => {
  server = await startServer({ delay: 0 });
});
afterAll(() => server.close());

function post(messages: readonly unknown[], stream = true): Promise<Response> {
  const body = JSON.stringify({ messages, stream });
  return fetch(`${server.url}/chat/completions`, { method: "POST", body });
}

function bodyOf(response: Response): ReadableStream<Uint8Array> {
  if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
  return response.body;
}

/** A turn as a client sends it back, with whatever ids. */
function turn(...ids: string[]): object[] {
  const body = { name: "get_sun", arguments: "{}" };
  const tool_calls = ids.map((id) => ({ id, type: "function", function: body }));
  const results = ids.map((id) => ({ role: "tool", tool_call_id: id, content: "{}" }));
  return [{ role: "assistant", content: null, reasoning: "Hm.", tool_calls }, ...results];
}

const user = { role: "user", content: "Is the sun up?" };

test("the demo's server sends the same ids in both turns, for different calls", async () => {
  const first = await collect(bodyOf(await post([user])));
  const second = await collect(bodyOf(await post([user, ...turn("a", "b")])));

  expect(first.toolCalls.map((call) => [call.providerId, call.arguments])).toEqual([
    ["get_sun:0", '{"city": "Tokyo"}'],
    ["get_time:1", '{"zone": "Asia/Tokyo"}'],
  ]);
  expect(second.toolCalls.map((call) => [call.providerId, call.arguments])).toEqual([
    ["get_sun:0", '{"city": "São Paulo"}'],
    ["get_time:1", '{"zone": "America/Sao_Paulo"}'],
  ]);
  expect(chatMessage(first)?.reasoning).toBe("Two cities. Tokyo first.");
});

describe("the demo's server refuses", () => {
  const [assistant, result] = turn("a");
  test.each([
    {
      what: "an id that repeats in a later turn",
      messages: [user, ...turn("a", "b"), ...turn("a", "c")],
      message: "messages[4] repeats the tool call id 'a'",
    },
    {
      what: "an id that repeats within a turn",
      messages: [user, ...turn("a", "a")],
      message: "messages[1] repeats the tool call id 'a'",
    },
    {
      what: "a call without a result",
      messages: [user, assistant],
      message: "Results are missing: a",
    },
    {
      what: "a call whose result comes too late",
      messages: [user, assistant, user, result],
      message: "messages[2] stands where results are missing: a",
    },
    {
      what: "a result without a call",
      messages: [user, result],
      message: "messages[1] answers no call: 'a'",
    },
    {
      what: "a second result of one call",
      messages: [user, assistant, result, result],
      message: "messages[3] answers no call: 'a'",
    },
    {
      what: "a turn whose reasoning was dropped",
      messages: [user, { ...assistant, reasoning: undefined }, result],
      message: "messages[1] has lost its reasoning",
    },
  ])("$what", async ({ messages, message }) => {
    const response = await post(messages);

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code: 400, message } });
  });

  test("a request that does not stream", async () => {
    const response = await post([user], false);

    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { message: "Only streamed responses are served" },
    });
  });
});

test("the demo's loop ends with a history in which calls and results pair", async () => {
  const tools: Record<string, object> = {
    get_sun: { rise: "06:00", set: "18:00" },
    get_time: { time: "12:34" },
  };
  const answer = async (call: ToolCall) => toolResult(call, tools[call.name]) as ChatToolMessage;
  const messages: Message[] = [{ role: "user", content: "Is the sun up?" }];
  const wireIds: (string | undefined)[] = [];
  while (messages.at(-1)?.role !== "assistant") {
    const calls = new ToolCallStream();
    const results = [];
    for await (const call of bodyOf(await post(messages)).pipeThrough(calls)) {
      wireIds.push(call.providerId);
      results.push(answer(call));
    }
    const message = chatMessage(await calls.completion);
    if (message === undefined) throw new Error("no message");
    messages.push(message, ...(await Promise.all(results)));
  }

  expect(wireIds).toEqual(["get_sun:0", "get_time:1", "get_sun:0", "get_time:1"]);
  const calls = messages.flatMap((message) =>
    message.role === "assistant" ? (message.tool_calls ?? []) : [],
  );
  const [a, b, c, d] = calls.map((call) => call.id);
  expect(new Set([a, b, c, d]).size).toBe(4);
  expect(messages).toMatchObject([
    { role: "user" },
    {
      role: "assistant",
      reasoning: "Two cities. Tokyo first.",
      tool_calls: [{ id: a }, { id: b }],
    },
    { role: "tool", tool_call_id: a, content: '{"rise":"06:00","set":"18:00"}' },
    { role: "tool", tool_call_id: b, content: '{"time":"12:34"}' },
    { role: "assistant", reasoning: "Now São Paulo.", tool_calls: [{ id: c }, { id: d }] },
    { role: "tool", tool_call_id: c },
    { role: "tool", tool_call_id: d },
    {
      role: "assistant",
      content:
        "In Tokyo it is 12:34 and the sun is up (06:00 to 18:00). " +
        "In São Paulo it is 12:34 and the sun is up (06:00 to 18:00).",
    },
  ]);
});
