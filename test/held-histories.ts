import { expect } from "vitest";
import { collect, toolResult } from "../src/index.ts";
import type { HoldingServer } from "./holding-server.ts";

/** Sends a request to a server that holds histories, in one of the ways that ids are mended. */
export type Send = (method: string, path: string, body?: object) => Promise<Response>;

const IDS = ["f:0", "f:0", "call_7"];

/**
 * The first call of an answer, and the result that the client has for it. This client knows a call by
 * the id that came to it, and has no ids of its own.
 */
async function answered(response: Response): Promise<{ item: any; result: any }> {
  expect(response.status).toBe(200);
  const { toolCalls, message } = await collect(response.body as ReadableStream<Uint8Array>);
  const [call] = toolCalls;
  if (call === undefined) throw new Error("The server has called nothing");
  const items = (Array.isArray(message) ? message : []) as { type: string }[];
  const item = items.find(({ type }) => type === "function_call");
  const id = call.providerId ?? "";
  return { item: { ...item, call_id: id }, result: toolResult({ ...call, id }, "sunny") };
}

const user = { role: "user", content: "?" };
const RESPONSES = "/v1/responses";

/** How clients continue a history that the server holds, each as a loop over three calls. */
export const HELD_HISTORIES: Readonly<Record<string, (send: Send) => Promise<void>>> = {
  async previous_response_id(send) {
    let response = await send("POST", RESPONSES, { input: "?", tools: [], stream: true });
    for (let turn = 0; turn < IDS.length; turn += 1) {
      const { result } = await answered(response);
      const body = { previous_response_id: `resp_${turn + 1}`, input: [result], stream: true };
      response = await send("POST", RESPONSES, body);
    }
    expect(response.status).toBe(200);
  },

  async "a conversation"(send) {
    let input: object[] = [user];
    for (const [turn] of IDS.entries()) {
      const conversation = turn % 2 === 0 ? "conv_1" : { id: "conv_1" };
      const { result } = await answered(
        await send("POST", RESPONSES, { conversation, input, stream: true }),
      );
      input = [result];
    }
    const response = await send("POST", RESPONSES, { conversation: "conv_1", input });
    expect(response.status).toBe(200);
  },

  async "references to items"(send) {
    const input: object[] = [user];
    for (let turn = 0; turn < IDS.length; turn += 1) {
      const response = await send("POST", RESPONSES, { input, stream: true });
      const { result } = await answered(response);
      input.push({ type: "item_reference", id: `fc_${turn + 1}` }, result);
    }
    expect((await send("POST", RESPONSES, { input, stream: true })).status).toBe(200);
  },

  async "items that are added to a conversation"(send) {
    for (let turn = 0; turn < IDS.length; turn += 1) {
      const body = { conversation: "conv_1", input: [user], stream: true };
      const { result } = await answered(await send("POST", RESPONSES, body));
      const added = await send("POST", "/v1/conversations/conv_1/items", { items: [result] });
      expect(added.status).toBe(200);
    }
  },

  async "streams that are fetched"(send) {
    let body: object = { input: "?", tools: [] };
    for (let turn = 0; turn < IDS.length; turn += 1) {
      await send("POST", RESPONSES, { ...body, background: true, stream: true });
      const response = await send("GET", `${RESPONSES}/resp_${turn + 1}?stream=true`);
      const { result } = await answered(response);
      body = { previous_response_id: `resp_${turn + 1}`, input: [result] };
    }
    expect((await send("POST", RESPONSES, body)).status).toBe(200);
  },

  async "answers without streaming"(send) {
    let response = await send("POST", RESPONSES, { input: "?", tools: [] });
    for (let turn = 0; turn < IDS.length; turn += 1) {
      const { result } = await answered(response);
      const body = { previous_response_id: `resp_${turn + 1}`, input: [result] };
      response = await send("POST", RESPONSES, body);
    }
    expect(response.status).toBe(200);
  },

  async "a thread"(send) {
    const create = { thread: { type: "create" }, messages: [user] };
    let response = await send("POST", "/v1/messages", create);
    for (let turn = 0; turn < IDS.length; turn += 1) {
      const { result } = await answered(response);
      const thread = { type: "continue", previous_message_id: `msg_${turn + 1}` };
      const messages = [{ role: "user", content: [result] }];
      response = await send("POST", "/v1/messages", { thread, messages });
    }
    expect(response.status).toBe(200);
  },

  async "the whole history, with its items"(send) {
    const input: object[] = [user];
    for (let turn = 0; turn < IDS.length; turn += 1) {
      const { item, result } = await answered(
        await send("POST", RESPONSES, { input, store: false, stream: true }),
      );
      input.push(item, result);
    }
    expect((await send("POST", RESPONSES, { input, store: false })).status).toBe(200);
  },
};

/** The ids of the calls that the server makes in them. */
export const HELD_IDS: readonly string[] = IDS;

/** A `fetch` that asks such a server. */
export function fetchFrom(server: HoldingServer): typeof globalThis.fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { pathname } = new URL(request.url);
    const { status, contentType, body } = server.answer(
      request.method,
      pathname,
      await request.text(),
    );
    return new Response(body, { status, headers: { "content-type": contentType } });
  };
}
