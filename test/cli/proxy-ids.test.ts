import { text } from "node:stream/consumers";
import { expect, test, vi } from "vitest";
import { type AnswerHead, WireIds } from "../../src/fetch/wire-ids.ts";
import { sse } from "../bodies.ts";
import { calls, entry, finish } from "../chat-chunks.ts";
import { proxyInFrontOf, proxyTo, serve } from "./proxied.ts";

const JSON_TYPE = { "content-type": "application/json" };
const STREAM_TYPE = { "content-type": "text/event-stream" };

async function post(url: string, body: object): Promise<string> {
  const init = { method: "POST", headers: JSON_TYPE, body: JSON.stringify(body) };
  return (await fetch(`${url}/v1`, init)).text();
}

test("ids that repeat come out unique, all else byte for byte, and are counted", async () => {
  const body = `: hi\r\n\r\n${sse(calls(entry(0, "f:0", "f", '{"a": 1}')), finish("tool_calls"), "[DONE]")}`;
  const { url, logged } = await proxyInFrontOf((_request, response) => {
    response.writeHead(200, STREAM_TYPE).end(body);
  });
  const answers = [await post(url, { messages: [] }), await post(url, { messages: [] })];
  const ids = answers.map((answer) => /"id":"(call_\w+)"/.exec(answer)?.[1] ?? "");
  expect(new Set(["", ...ids]).size).toBe(3);
  expect(answers.map((answer, index) => answer.replace(ids[index] ?? "", "f:0"))).toEqual([
    body,
    body,
  ]);
  expect(await logged).toBe("POST /v1 200 by the server, 1 call renamed");
});

test("calls whose ids come late are counted once", async () => {
  const named = calls(entry(0, undefined, "f", "{}"), entry(1, "g:0", "g", "{}"));
  const body = sse(named, calls(entry(0, "f:0", undefined, "")), finish("tool_calls"));
  const { url, logged } = await proxyInFrontOf((_request, response) => {
    response.writeHead(200, STREAM_TYPE).end(body);
  });
  await post(url, { messages: [] });
  expect(await logged).toBe("POST /v1 200 by the server, 2 calls renamed");
});

test("results for a history that the server holds get the ids back that it knows", async () => {
  const bodies: string[] = [];
  const { url } = await proxyInFrontOf(async (request, response) => {
    bodies.push(await text(request));
    const output = [{ type: "function_call", call_id: "f:0", name: "f", arguments: "{}" }];
    response.writeHead(200, JSON_TYPE).end(JSON.stringify({ object: "response", output }));
  });
  const first = JSON.parse(await post(url, { input: "Hi", tools: [] }));
  const [{ call_id: id }] = first.output;
  expect(id).toMatch(/^call_/);
  const result = { type: "function_call_output", call_id: id, output: "1" };
  await post(url, { previous_response_id: "r", input: [result] });
  expect(JSON.parse(bodies[1] ?? "").input).toEqual([{ ...result, call_id: "f:0" }]);
});

test("with the history of Kimi K2, requests get its numbers", async () => {
  const bodies: string[] = [];
  const target = await serve(async (request, response) => {
    bodies.push(await text(request));
    response.end();
  });
  const { url } = await proxyTo(target, { history: "kimi-k2" });
  const call = { id: "call_a", type: "function", function: { name: "f", arguments: "{}" } };
  const messages = [
    { role: "assistant", tool_calls: [call] },
    { role: "tool", tool_call_id: "call_a", content: "1" },
  ];
  await post(url, { messages });
  const sent = JSON.stringify({ messages }).replaceAll("call_a", "functions.f:0");
  expect(bodies).toEqual([sent]);
});

test("an answer without a type is asked about, and is renamed if that is the decision", async () => {
  const heads: AnswerHead[] = [];
  const request = vi.spyOn(WireIds.prototype, "request").mockReturnValue({
    body: undefined,
    answer(head, onRename) {
      heads.push(head);
      return { onRename };
    },
  });
  const { url, logged } = await proxyInFrontOf((_request, response) => {
    response.end(sse(calls(entry(0, "f:0", "f", "{}")), finish("tool_calls")));
  });
  const body = await post(url, { messages: [], stream: true });
  request.mockRestore();
  expect(heads).toEqual([{ ok: true, contentType: null }]);
  expect(body).not.toContain('"f:0"');
  expect(await logged).toBe("POST /v1 200 by the server, 1 call renamed");
});
