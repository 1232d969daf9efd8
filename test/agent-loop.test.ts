import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { json } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { type Dialect, findPairingFaults } from "../src/index.ts";
import { sse } from "./bodies.ts";
import { calls, chunk, entry, finish } from "./chat-chunks.ts";
import { added, called, completed, event, fragment, message } from "./dialects/responses/events.ts";
import * as blocks from "./messages-events.ts";

const DONE = "[DONE]";
const tokyo = '{"city":"Tokyo"}';
const atlantis = '{"city":"Atlantis"}';
const broken = "{'zone': 'Asia/Tokyo'}";
const overloaded = { error: { message: "The engine is overloaded", code: 503 } };
const failed = { type: "error", ...overloaded };

/**
 * What the server answers, in turn: a whole call and one that the limit of the response has cut; nothing
 * but an error; a call that is no JSON and one whose tool fails; a whole call, and then an error; an answer.
 */
const BODIES: Readonly<Record<Dialect, readonly string[]>> = {
  chat: [
    sse(
      calls(entry(0, "get_sun:0", "get_sun", tokyo), entry(1, "get_time:1", "get_time", '{"zo')),
      finish("length"),
      DONE,
    ),
    sse(overloaded),
    sse(
      chunk({ reasoning_content: "Again." }),
      calls(entry(0, "get_time:0", "get_time", broken)),
      calls(entry(1, "get_sun:1", "get_sun", atlantis)),
      finish("tool_calls"),
      DONE,
    ),
    sse(
      calls(entry(0, "get_sun:0", "get_sun", tokyo), entry(1, "get_time:1", "get_time", '{"zo')),
      overloaded,
    ),
    sse(chunk({ content: "It is up." }), finish("stop"), DONE),
  ],
  messages: [
    sse(
      blocks.messageStart(),
      ...blocks.whole(0, "get_sun", tokyo),
      ...blocks.whole(1, "get_time", '{"zo'),
      blocks.stopReason("max_tokens"),
      blocks.messageStop,
    ),
    sse(failed),
    sse(
      blocks.messageStart(),
      ...blocks.whole(0, "get_time", broken),
      ...blocks.whole(1, "get_sun", atlantis),
      ...blocks.ending,
    ),
    sse(
      blocks.messageStart(),
      ...blocks.whole(0, "get_sun", tokyo),
      ...blocks.whole(1, "get_time", '{"zo'),
      failed,
    ),
    sse(
      blocks.messageStart(),
      blocks.blockStart(0, { type: "text", text: "" }),
      blocks.text(0, "It is up."),
      ...blocks.ending,
    ),
  ],
  responses: [
    sse(
      added(called("a", "get_sun", tokyo), 0),
      added(called("b", "get_time", ""), 1),
      fragment('{"zo', "fc_b", 1),
      event("incomplete", { response: { status: "incomplete" } }),
    ),
    sse(failed),
    sse(completed(called("a", "get_time", broken), called("b", "get_sun", atlantis))),
    sse(
      added(called("a", "get_sun", tokyo), 0),
      added(called("b", "get_time", ""), 1),
      fragment('{"zo', "fc_b", 1),
      failed,
    ),
    sse(completed(message("It is up."))),
  ],
};
const DIALECTS = ["chat", "messages", "responses"] as const;

/** What the results in a history say, whatever its dialect. */
function resultsIn(history: any[]): unknown[] {
  return history
    .flatMap((each) => (Array.isArray(each.content) ? each.content : [each]))
    .filter(({ role, type }) => role === "tool" || /tool_result|_output$/.test(type))
    .map(({ content, output }) => content ?? output);
}

test.each(DIALECTS)(
  "examples/agent-loop.ts takes cut calls, broken ones, failing tools and errors in its stride: %s",
  async (dialect) => {
    const requests: { path: string | undefined; body: any }[] = [];
    const server = createServer(async (request, response) => {
      requests.push({ path: request.url, body: await json(request) });
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end(BODIES[dialect][requests.length - 1]);
    });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    const { port } = server.address() as AddressInfo;
    vi.stubEnv("OPENAI_BASE_URL", `http://127.0.0.1:${port}/v1`);
    vi.stubEnv("API", dialect);
    vi.resetModules();
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
    const path = dialect === "chat" ? "chat/completions" : dialect;
    expect(requests.map((request) => request.path)).toEqual(
      BODIES[dialect].map(() => `/v1/${path}`),
    );
    const histories = requests.map(({ body }) => body.messages ?? body.input);
    expect(histories.map(findPairingFaults)).toEqual(BODIES[dialect].map(() => []));
    const [, , , , last] = histories;
    const turn = { chat: 3, messages: 2, responses: 4 }[dialect];
    expect(histories.map(({ length }) => length)).toEqual(
      [0, 1, 1, 2, 3].map((turns) => 1 + turns * turn),
    );
    const sun = expect.stringMatching(/^{"rise":".*","set":".*"}$/);
    const cut = expect.stringMatching(/^{"code":"truncated","message":".*get_time.*"}$/);
    const malformed = expect.stringMatching(/^{"code":"malformed","message":".*get_time.*"}$/);
    const results = [sun, cut, malformed, "No such city: Atlantis", sun, cut];
    expect(resultsIn(last)).toEqual(results);
    if (dialect === "chat") expect(last[4]).toMatchObject({ reasoning_content: "Again." });
    if (dialect === "messages") {
      const marks = last.filter(({ role }: any) => role === "user").slice(1);
      expect(marks.map(({ content }: any) => content.map((each: any) => each.is_error))).toEqual([
        [undefined, true],
        [true, true],
        [undefined, true],
      ]);
    }
  },
);

test.each(DIALECTS)("the loop of the README runs in each dialect: %s", async (dialect) => {
  const bodies = BODIES[dialect].filter((_body, turn) => turn % 2 === 0);
  const histories: unknown[][] = [];
  vi.resetModules();
  vi.doMock("./readme/setup.ts", () => ({
    question: { role: "user", content: "Is the sun up?" },
    run: (_name: string, { city }: { city: string }) => city,
    respond(messages: readonly unknown[]) {
      histories.push([...messages]);
      return new Response(bodies[histories.length - 1]);
    },
  }));
  const log = vi.spyOn(console, "log").mockReturnValue();
  await import("./readme/loop.ts");
  const [[length] = []] = log.mock.calls;
  log.mockRestore();
  vi.doUnmock("./readme/setup.ts");

  expect(histories.map(findPairingFaults)).toEqual([[], [], []]);
  expect(resultsIn(histories[2] ?? [])).toEqual([
    "Tokyo",
    expect.stringContaining("truncated"),
    expect.stringContaining("malformed"),
    "Atlantis",
  ]);
  expect(length).toBe({ chat: 8, messages: 6, responses: 10 }[dialect]);
});
