import { describe, expect, test } from "vitest";
import { type ToolCallRename, uniqueToolCallIds } from "../../src/index.ts";
import { bodyOf } from "../bodies.ts";
import { CUTS } from "../cuts.ts";
import { fixtureBytes, fixtureNames } from "../fixtures.ts";

const names = fixtureNames("captures", ".sse").map((file) => file.replace(/\.sse$/, ""));

/** What a server got and what its client got, in bytes. */
async function exchange(request: Uint8Array, chunks: readonly Uint8Array[]) {
  const renames: ToolCallRename[] = [];
  let sent = new ArrayBuffer(0);
  const fetch = uniqueToolCallIds(
    async (input, init) => {
      sent = await new Request(input, init).arrayBuffer();
      const body = bodyOf(chunks) as ReadableStream<Uint8Array>;
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    },
    { onRename: (rename) => renames.push(rename) },
  );
  const headers = { "content-type": "application/json" };
  const init = { method: "POST", headers, body: request as Uint8Array<ArrayBuffer> };
  const response = await fetch("https://api.example/v1", init);
  const received = new Uint8Array(await response.arrayBuffer());
  return { sent: new Uint8Array(sent), received, renames };
}

describe.each(names)("what %s itself sends", (name) => {
  const request = fixtureBytes(`captures/${name}.request.json`);
  const answer = fixtureBytes(`captures/${name}.sse`);

  test.each(CUTS)("passes byte for byte in both directions, cut: $name", async ({ cut }) => {
    const { sent, received, renames } = await exchange(request, cut(answer));
    expect(sent).toEqual(request);
    expect(received).toEqual(answer);
    expect(renames).toEqual([]);
  });
});

test("captures are there of every dialect", () => {
  expect(names).toEqual(["anthropic-messages", "mistral-chat", "openai-chat", "openai-responses"]);
});
