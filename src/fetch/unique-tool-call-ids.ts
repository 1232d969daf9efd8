import { checkType } from "../options.ts";
import { UniqueToolCallIdStream } from "../streams/unique-tool-call-id-stream.ts";
import { renamedResponse } from "./renamed-response.ts";
import { type FetchArguments, readJsonBody } from "./request-body.ts";
import { type UniqueToolCallIdsOptions, WireIds } from "./wire-ids.ts";

type Fetch = typeof globalThis.fetch;

/** A function that is called like `fetch`. In some runtimes, `fetch` also has properties. */
type FetchLike = (input: Parameters<Fetch>[0], init?: RequestInit) => Promise<Response>;

/**
 * A `fetch` for SDKs and agents that cannot be changed: every tool call in its responses has a fresh
 * id, as {@link UniqueToolCallIdStream} gives it.
 *
 * - Event streams, and JSON answers to requests with `messages` or `input`, are changed; every other
 *   response, also a server's error, is returned as the same object. A changed response keeps its
 *   status, headers, `url`, `redirected`, `clone()` and errors, and can be aborted.
 * - Where the server holds the history (`previous_response_id`, `conversation`, a `thread` that is
 *   continued), the results in a request get the server's ids back. For that, the latest 16,384 ids are
 *   kept: use one wrapped fetch for all requests of a conversation.
 * - Other requests pass as they are, unless `history` says otherwise. A JSON body that is a stream is
 *   read before it is sent.
 *
 * @throws TypeError or RangeError when an option is of the wrong type or out of range
 *
 * @example In any SDK that takes a fetch
 * ```ts
 * const client = new OpenAI({ fetch: uniqueToolCallIds() });
 * ```
 */
export function uniqueToolCallIds(
  fetch?: FetchLike,
  options: UniqueToolCallIdsOptions = {},
): Fetch {
  const ids = new WireIds(options);
  // Looked up at each call, since it may be replaced. Browsers allow it only on `globalThis`.
  const send: FetchLike = fetch ?? ((input, init) => globalThis.fetch(input, init));
  checkType("fetch", send, "function");
  return ((input, init) => fetchRenamed(send, ids, input, init)) as FetchLike as Fetch;
}

async function fetchRenamed(
  fetch: FetchLike,
  ids: WireIds,
  input: Parameters<Fetch>[0],
  init: RequestInit | undefined,
): Promise<Response> {
  const method = init?.method ?? (input instanceof Request ? input.method : "GET");
  const body = await readJsonBody(input, init);
  const request = ids.request(method, body?.text);
  let sent: FetchArguments = [input, init];
  if (body !== undefined) {
    // A text in, a text out.
    const text = request.body as string;
    sent = text === body.text ? body.unchanged : body.withText(text);
  }
  const response = await fetch(...sent);
  const { body: answer, ok, headers } = response;
  const options =
    answer === null ? undefined : request.answer({ ok, contentType: headers.get("content-type") });
  if (answer === null || options === undefined) return response;
  const renaming = answer.pipeThrough(new UniqueToolCallIdStream(options));
  return renamedResponse(renaming, response);
}
