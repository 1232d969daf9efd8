import { expect, test } from "vitest";
import { uniqueToolCallIds } from "../../src/index.ts";
import { fetchFrom, HELD_HISTORIES, HELD_IDS, type Send } from "../held-histories.ts";
import { HoldingServer } from "../holding-server.ts";

const ADDRESS = "https://api.example";
const headers = { "content-type": "application/json" };

const sendWith =
  (fetch: typeof globalThis.fetch): Send =>
  (method, path, body) =>
    fetch(`${ADDRESS}${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) });

test.each(Object.entries(HELD_HISTORIES))(
  "a client that continues what the server holds, by %s",
  async (_name, converse) => {
    const server = new HoldingServer(HELD_IDS);
    await converse(sendWith(uniqueToolCallIds(fetchFrom(server))));
  },
);

test("without the wrapped fetch of the conversation, its fresh ids mean nothing to the server", async () => {
  const server = new HoldingServer(HELD_IDS);
  const wrappers = [uniqueToolCallIds(fetchFrom(server)), uniqueToolCallIds(fetchFrom(server))];
  let count = 0;
  const restarted: Send = (method, path, body) =>
    sendWith(wrappers[(count += 1) > 1 ? 1 : 0] as typeof globalThis.fetch)(method, path, body);
  await expect(HELD_HISTORIES["previous_response_id"]?.(restarted)).rejects.toThrow();
  expect(server.history).toHaveLength(1);
});

test("calls of chats, however many, push no held id out", async () => {
  const server = new HoldingServer(["f:0"]);
  const held = fetchFrom(server);
  const entries = Array.from({ length: 1000 }, (_, index) => {
    return { index, id: `f:${index}`, function: { name: "f", arguments: "{}" } };
  });
  const chat = JSON.stringify({ choices: [{ message: { tool_calls: entries } }] });
  const fetch = uniqueToolCallIds((input, init) =>
    String(input).endsWith("/chat/completions")
      ? Promise.resolve(new Response(chat, { headers }))
      : held(input, init),
  );
  const send = sendWith(fetch);
  const first = await send("POST", "/v1/responses", { input: "?", tools: [] });
  const { output } = (await first.json()) as { output: { call_id: string }[] };
  for (let round = 0; round < 17; round += 1) {
    await (await send("POST", "/v1/chat/completions", { messages: [] })).text();
  }
  const result = { type: "function_call_output", call_id: output[0]?.call_id, output: "1" };
  const body = { previous_response_id: "resp_1", input: [result] };
  expect((await send("POST", "/v1/responses", body)).status).toBe(200);
});
