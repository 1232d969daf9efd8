import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { findPairingFaults } from "../src/index.ts";
import { sse } from "./bodies.ts";
import { calls, chunk, entry, finish } from "./chat-chunks.ts";

const DONE = "data: [DONE]\n\n";
const tokyo = '{"city":"Tokyo"}';

/** What the server answers, in turn. */
const BODIES = [
  // A whole call, and one that the limit of the response has cut.
  sse(
    calls(entry(0, "get_sun:0", "get_sun", tokyo), entry(1, "get_time:1", "get_time", '{"zo')),
    finish("length"),
  ) + DONE,
  // Nothing but an error.
  sse({ error: { message: "The engine is overloaded", code: 503 } }),
  // A call that is no JSON, and one whose tool fails.
  sse(
    chunk({ reasoning_content: "Again." }),
    calls(entry(0, "get_time:0", "get_time", "{'zone': 'Asia/Tokyo'}")),
    calls(entry(1, "get_sun:1", "get_sun", '{"city":"Atlantis"}')),
    finish("tool_calls"),
  ) + DONE,
  // A whole call, and then an error.
  sse(calls(entry(0, "get_sun:0", "get_sun", tokyo), entry(1, "get_time:1", "get_time", '{"zo')), {
    error: { message: "The engine is overloaded", code: 503 },
  }),
  sse(chunk({ content: "It is up." }), finish("stop")) + DONE,
];

test("examples/agent-loop.ts takes cut calls, broken ones, failing tools and errors in its stride", async () => {
  const requests: { messages: any[] }[] = [];
  const server = createServer(async (request, response) => {
    requests.push((await json(request)) as { messages: any[] });
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.end(BODIES[requests.length - 1]);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  vi.stubEnv("OPENAI_BASE_URL", `http://127.0.0.1:${port}/v1`);
  const log = vi.spyOn(console, "log").mockReturnValue();
  await import("../examples/agent-loop.ts");
  const lines = log.mock.calls.map(([line]) => line);
  log.mockRestore();
  vi.unstubAllEnvs();
  server.close();
  server.closeAllConnections();

  expect(lines).toEqual([
    "provider-error: asking again",
    "provider-error: asking again",
    "It is up.",
  ]);
  const histories = requests.map(({ messages }) => messages);
  expect(histories.map(({ length }) => length)).toEqual([1, 4, 4, 7, 10]);
  expect(histories.map(findPairingFaults)).toEqual(BODIES.map(() => []));
  const results = histories[4]?.filter(({ role }) => role === "tool");
  expect(results?.map(({ content }) => JSON.parse(content))).toEqual([
    { rise: expect.any(String), set: expect.any(String) },
    { code: "truncated", message: expect.stringContaining("get_time") },
    { error: "RangeError: No such city: Atlantis" },
    { code: "malformed", message: expect.stringContaining("get_time") },
    { rise: expect.any(String), set: expect.any(String) },
    { code: "truncated", message: expect.stringContaining("get_time") },
  ]);
  expect(histories[4]?.[4]).toMatchObject({ reasoning_content: "Again." });
});
