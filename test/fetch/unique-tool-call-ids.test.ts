import { expect, test, vi } from "vitest";
import { type UniqueToolCallIdsOptions, uniqueToolCallIds } from "../../src/index.ts";
import { bodyOf, readAll, sse } from "../bodies.ts";
import { calls, entry, finish } from "../chat-chunks.ts";

const ADDRESS = "https://api.example/v1/chat/completions";
const BODY = sse(
  calls(entry(0, "get_weather:0", "get_weather", "{}")),
  finish("tool_calls"),
  "[DONE]",
);
const RENAMED = BODY.replace("get_weather:0", "fresh-1");
const REQUEST = JSON.stringify({ messages: [{ role: "user", content: "?" }] });

interface Exchange {
  readonly input: RequestInfo | URL;
  readonly init: RequestInit | undefined;
}

/** A wrapped fetch of which the server answers with these responses, and what reached it. */
function wrapped(answer: () => Response, options: UniqueToolCallIdsOptions = {}) {
  let count = 0;
  const exchanges: Exchange[] = [];
  const fetch = uniqueToolCallIds(
    async (input: RequestInfo | URL, init?: RequestInit) => {
      exchanges.push({ input, init });
      return answer();
    },
    { generateId: () => `fresh-${(count += 1)}`, ...options },
  );
  return { fetch, exchanges };
}

const stream = (headers: HeadersInit = {}): Response =>
  new Response(BODY, {
    headers: { "content-type": "text/event-stream; charset=utf-8", ...headers },
  });
const json = (value: unknown, init: ResponseInit = {}): Response =>
  new Response(JSON.stringify(value), { headers: { "content-type": "application/json" }, ...init });

const post = (
  body: BodyInit,
  headers: HeadersInit = { "content-type": "application/json" },
): RequestInit => ({
  method: "POST",
  headers,
  body,
});

test("an event stream has other ids, with its status and headers", async () => {
  const { fetch } = wrapped(() =>
    stream({ "content-length": "7", "content-encoding": "br", "x-id": "1" }),
  );
  const response = await fetch(ADDRESS, post(REQUEST));
  expect(response).toBeInstanceOf(Response);
  expect([response.status, response.ok]).toEqual([200, true]);
  expect([...response.headers.keys()].sort()).toEqual(["content-type", "x-id"]);
  expect(await response.text()).toBe(RENAMED);
});

test("what is changed keeps url, redirected, type and clone", async () => {
  const { fetch } = wrapped(() =>
    Object.defineProperties(stream(), {
      url: { value: `${ADDRESS}?moved` },
      redirected: { value: true },
      type: { value: "cors" },
    }),
  );
  const response = await fetch(ADDRESS, post(REQUEST));
  const copy = response.clone();
  for (const each of [response, copy]) {
    expect([each.url, each.redirected, each.type]).toEqual([`${ADDRESS}?moved`, true, "cors"]);
    expect(await each.text()).toBe(RENAMED);
  }
  expect(copy.clone).toBeDefined();
});

const COMPLETION = {
  choices: [{ message: { tool_calls: [entry(0, "a", "f", "{}")] }, finish_reason: "tool_calls" }],
};

test.each(["messages", "input"])(
  "a JSON answer to a request with %s has other ids",
  async (field) => {
    const { fetch } = wrapped(() => json(COMPLETION));
    const response = await fetch(ADDRESS, post(JSON.stringify({ [field]: [] })));
    expect(await response.json()).toMatchObject({
      choices: [{ message: { tool_calls: [{ id: "fresh-1" }] } }],
    });
  },
);

test.each<[string, Response, RequestInit | undefined]>([
  ["a JSON answer to another request", json(COMPLETION), post(JSON.stringify({ model: "m" }))],
  ["a JSON answer to a request without body", json(COMPLETION), undefined],
  [
    "a JSON answer to a text without tools: embeddings",
    json(COMPLETION),
    post(JSON.stringify({ input: "?" })),
  ],
  [
    "an error",
    json({ error: {} }, { status: 429, headers: { "content-type": "application/json" } }),
    post(REQUEST),
  ],
  ["another type", new Response("a", { headers: { "content-type": "text/plain" } }), post(REQUEST)],
  ["no type", new Response(new Uint8Array(1)), post(REQUEST)],
  [
    "no body",
    new Response(null, { headers: { "content-type": "text/event-stream" } }),
    post(REQUEST),
  ],
])("the response is the same object: %s", async (_name, answer, init) => {
  const { fetch } = wrapped(() => answer);
  expect(await fetch(ADDRESS, init)).toBe(answer);
});

test("a request that does not change is passed on as it came", async () => {
  const { fetch, exchanges } = wrapped(() => stream());
  const init = post(REQUEST);
  const request = new Request(ADDRESS, init);
  const bytes = post(new TextEncoder().encode(REQUEST));
  await fetch(ADDRESS, init);
  await fetch(request);
  await fetch(ADDRESS, bytes);
  await fetch(ADDRESS);
  expect(exchanges).toEqual([
    { input: ADDRESS, init },
    { input: request, init: undefined },
    { input: ADDRESS, init: bytes },
    { input: ADDRESS, init: undefined },
  ]);
  expect(exchanges[0]?.init).toBe(init);
  expect(exchanges[1]?.input).toBe(request);
  expect(await request.text()).toBe(REQUEST);
});

const HISTORY = JSON.stringify({
  messages: [{ role: "assistant", tool_calls: [entry(0, "call_1", "f", "{}")] }],
});
const NUMBERED = HISTORY.replace("call_1", "functions.f:0");
const JSON_TYPE = {
  "content-type": "application/json; charset=utf-8",
  "content-length": "7",
  "x-id": "1",
};
const encoder = new TextEncoder();

/** A request as it arrived. */
async function arrived({ input, init }: Exchange): Promise<{ text: string; headers: string[] }> {
  const request = new Request(input, {
    ...init,
    ...(init?.body instanceof ReadableStream && { duplex: "half" }),
  });
  return { text: await request.text(), headers: [...request.headers.keys()].sort() };
}

test.each<[string, () => [RequestInfo | URL, RequestInit?]]>([
  ["text", () => [ADDRESS, post(HISTORY, JSON_TYPE)]],
  ["text of no type", () => [new URL(ADDRESS), post(HISTORY, { "x-id": "1" })]],
  [
    "text of a type with +json",
    () => [ADDRESS, post(HISTORY, { "content-type": "application/vnd.api+json", "x-id": "1" })],
  ],
  ["bytes", () => [ADDRESS, post(encoder.encode(HISTORY), JSON_TYPE)]],
  ["a buffer of no type", () => [ADDRESS, post(encoder.encode(HISTORY).buffer, { "x-id": "1" })]],
  [
    "a blob",
    () => [ADDRESS, post(new Blob([HISTORY], { type: "application/json" }), { "x-id": "1" })],
  ],
  [
    "a stream",
    () => [
      ADDRESS,
      { ...post(bodyOf([encoder.encode(HISTORY)]), JSON_TYPE), duplex: "half" } as RequestInit,
    ],
  ],
  [
    "a Request",
    () => [
      new Request(ADDRESS, post(HISTORY, { "content-type": "application/json", "x-id": "1" })),
    ],
  ],
])("a history for Kimi K2 is numbered in %s", async (name, args) => {
  const { fetch, exchanges } = wrapped(() => stream(), { history: "kimi-k2" });
  await fetch(...args());
  const { text, headers } = await arrived(exchanges[0] as Exchange);
  expect(text).toBe(NUMBERED);
  expect(headers).toContain("x-id");
  if (!name.endsWith("of no type")) expect(headers).toContain("content-type");
  expect(headers).not.toContain("content-length");
});

test("a history is not numbered where no one asks for it", async () => {
  const { fetch, exchanges } = wrapped(() => stream());
  const init = post(HISTORY);
  await fetch(ADDRESS, init);
  expect(exchanges[0]?.init).toBe(init);
});

test.each<[string, () => BodyInit, HeadersInit]>([
  [
    "compressed",
    () => encoder.encode(HISTORY),
    { "content-type": "application/json", "content-encoding": "gzip" },
  ],
  ["of another type", () => HISTORY, { "content-type": "text/plain" }],
  [
    "a stream of no type",
    () => bodyOf([encoder.encode(HISTORY)]) as ReadableStream<Uint8Array>,
    {},
  ],
  ["no UTF-8", () => Uint8Array.of(0xff), { "content-type": "application/json" }],
])("a body passes as it came where it is %s", async (_name, body, headers) => {
  const { fetch, exchanges } = wrapped(() => stream(), { history: "kimi-k2" });
  const init = post(body(), headers);
  await fetch(ADDRESS, init);
  expect(exchanges[0]?.init).toBe(init);
});

test("an abort reaches a body that is being read", async () => {
  const { fetch, exchanges } = wrapped(() => stream());
  const abort = new AbortController();
  const source: UnderlyingDefaultSource<Uint8Array> = {};
  const cancelled = new Promise((resolve) => {
    source.cancel = (given) => {
      resolve(given);
      throw new Error("A source that cannot be cancelled");
    };
  });
  const init = { ...post(new ReadableStream(source)), signal: abort.signal, duplex: "half" };
  const response = fetch(ADDRESS, init as RequestInit);
  const reason = new Error("enough");
  abort.abort(reason);
  await expect(response).rejects.toBe(reason);
  expect(await cancelled).toBe(reason);
  expect(exchanges).toEqual([]);
});

test("no listener for an abort stays behind when a body has been read", async () => {
  const { signal } = new AbortController();
  const added = vi.spyOn(signal, "addEventListener");
  const removed = vi.spyOn(signal, "removeEventListener");
  const { fetch } = wrapped(() => stream());
  await fetch(ADDRESS, { ...post(encoder.encode(REQUEST)), signal });
  expect(added).toHaveBeenCalledTimes(1);
  expect(removed.mock.calls).toEqual(added.mock.calls);
});

test("an error of a body that is being read is raised as it is", async () => {
  const { fetch } = wrapped(() => stream());
  const failure = new TypeError("no more");
  const init = { ...post(bodyOf([encoder.encode("{")], failure)), duplex: "half" };
  await expect(fetch(ADDRESS, init as RequestInit)).rejects.toBeInstanceOf(TypeError);
});

test("a request that only says that it is JSON passes as it came", async () => {
  const { fetch, exchanges } = wrapped(() => stream());
  const init = { headers: { "content-type": "application/json" } };
  const request = new Request(ADDRESS, init);
  await fetch(ADDRESS, init);
  await fetch(request);
  expect(exchanges).toEqual([
    { input: ADDRESS, init },
    { input: request, init: undefined },
  ]);
});

test("a stream that was read is sent as the bytes that it was", async () => {
  const { fetch, exchanges } = wrapped(() => stream());
  await fetch(ADDRESS, { ...post(bodyOf([Uint8Array.of(0xff)])), duplex: "half" } as RequestInit);
  expect(exchanges[0]?.init?.body).toEqual(Uint8Array.of(0xff));
});

test("results get the id back that the server has, where it holds the history", async () => {
  const call = {
    type: "function_call",
    id: "i",
    call_id: "get_weather:0",
    name: "f",
    arguments: "{}",
  };
  const { fetch, exchanges } = wrapped(() =>
    json({ object: "response", output: [call], status: "completed" }),
  );
  const response = await fetch(ADDRESS, post(JSON.stringify({ input: [], tools: [] })));
  const { output } = (await response.json()) as { output: { call_id: string }[] };
  const result = { type: "function_call_output", call_id: output[0]?.call_id, output: "sunny" };
  await fetch(ADDRESS, post(JSON.stringify({ previous_response_id: "r", input: [result] })));
  expect(result.call_id).toBe("fresh-1");
  expect(JSON.parse(exchanges[1]?.init?.body as string).input[0].call_id).toBe("get_weather:0");
});

test.each([
  ["without a type", {}],
  ["as text", { "content-type": "text/plain; charset=utf-8" }],
  ["as bytes", { "content-type": "application/octet-stream" }],
])(
  "an event stream that comes %s, where one was asked for, has other ids",
  async (_name, headers) => {
    const { fetch } = wrapped(() => new Response(encoder.encode(BODY), { headers }));
    const asked = JSON.stringify({ messages: [], stream: true });
    expect(await (await fetch(ADDRESS, post(asked))).text()).toBe(RENAMED);
    expect(await (await fetch(ADDRESS, post(REQUEST))).text()).toBe(BODY);
  },
);

test("ids of the history that comes with a request do not come again", async () => {
  const id = "call_8s9dKfj20sKdjfEwoQ2kdjsl";
  const body = BODY.replace("get_weather:0", id);
  const type = { "content-type": "text/event-stream" };
  const { fetch } = wrapped(() => new Response(body, { headers: type }));
  const first = await fetch(ADDRESS, post(JSON.stringify({ messages: [] })));
  expect(await first.text()).toBe(body);
  const messages = [{ role: "assistant", tool_calls: [entry(0, id, "get_weather", "{}")] }];
  const second = await fetch(ADDRESS, post(JSON.stringify({ messages })));
  expect(await second.text()).toBe(body.replace(id, "fresh-1"));
});

test("an error of the source is raised as it is, and an abort reaches it", async () => {
  const failure = new Error("reset");
  const failing = wrapped(
    () =>
      new Response(bodyOf([encoder.encode(BODY)], failure) as ReadableStream<Uint8Array>, {
        headers: { "content-type": "text/event-stream" },
      }),
  );
  const { body } = await failing.fetch(ADDRESS, post(REQUEST));
  expect((await readAll(body as ReadableStream<Uint8Array>)).error).toBe(failure);

  const source: UnderlyingDefaultSource<Uint8Array> = {};
  const cancelled = new Promise((resolve) => {
    source.cancel = resolve;
  });
  const open = wrapped(
    () =>
      new Response(new ReadableStream(source), {
        headers: { "content-type": "text/event-stream" },
      }),
  );
  const response = await open.fetch(ADDRESS, post(REQUEST));
  await response.body?.cancel("enough");
  expect(await cancelled).toBe("enough");
  await expect(uniqueToolCallIds(() => Promise.reject(failure))(ADDRESS)).rejects.toBe(failure);
});

test("onRename sees the calls of every response", async () => {
  const seen: unknown[] = [];
  const { fetch } = wrapped(() => stream(), { onRename: ({ id }) => seen.push(id) });
  for (let turn = 0; turn < 2; turn += 1) await (await fetch(ADDRESS, post(REQUEST))).text();
  expect(seen).toEqual(["fresh-1", "fresh-2"]);
});

test("without a fetch, it is the one that the platform has when it is called", async () => {
  const fetch = uniqueToolCallIds();
  vi.stubGlobal("fetch", async () => stream());
  const response = await fetch(ADDRESS);
  vi.unstubAllGlobals();
  expect(await response.text()).toMatch(/"id":"call_[a-z0-9]{28}"/);
});

test("options and fetch are checked at once", () => {
  // @ts-expect-error -- that is the point
  expect(() => uniqueToolCallIds("fetch")).toThrow(TypeError);
  // @ts-expect-error -- that is the point
  expect(() => uniqueToolCallIds(undefined, { history: "kimi-k3" })).toThrow(TypeError);
  // @ts-expect-error -- that is the point
  expect(() => uniqueToolCallIds(undefined, { onRename: 1 })).toThrow(TypeError);
  expect(() => uniqueToolCallIds(undefined, { maxEventLength: 0 })).toThrow(RangeError);
});
