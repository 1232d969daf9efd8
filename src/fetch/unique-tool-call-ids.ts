import { checkType } from "../options.ts";
import { UniqueToolCallIdStream } from "../streams/unique-tool-call-id-stream.ts";
import { HeldIds } from "./held-ids.ts";
import { RenamedResponse } from "./renamed-response.ts";
import { type FetchArguments, readJsonBody } from "./request-body.ts";
import { rewriteRequest } from "./request-ids.ts";
import {
  resolveWireOptions,
  type ToolCallRename,
  type UniqueToolCallIdOptions,
} from "../wire/wire-options.ts";

type Fetch = typeof globalThis.fetch;

/** A function that is called like `fetch`. In some runtimes, `fetch` also has properties. */
type FetchLike = (input: Parameters<Fetch>[0], init?: RequestInit) => Promise<Response>;

export interface UniqueToolCallIdsOptions extends UniqueToolCallIdOptions {
  /**
   * The ids that the model was trained to see. With `kimi-k2`, the history in each request gets the
   * ids of {@link kimiK2ToolCallIds}: the template of Kimi K2, K2.5 and K2.6 shows them to the model.
   *
   * @default the ids stay as they are: other models never see them
   */
  readonly history?: "kimi-k2" | undefined;
}

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
  const wire = new WireFetch(fetch, options);
  return ((input, init) => wire.fetch(input, init)) as FetchLike as Fetch;
}

/** Does the work of {@link uniqueToolCallIds}, and can tell the calls of each request apart. */
export class WireFetch {
  #fetch: FetchLike;
  #options: UniqueToolCallIdsOptions;
  #heldIds = new HeldIds();

  constructor(
    // Looked up at each call, since it may be replaced. Browsers allow it only on `globalThis`.
    fetch: FetchLike = (input, init) => globalThis.fetch(input, init),
    options: UniqueToolCallIdsOptions = {},
  ) {
    checkType("fetch", fetch, "function");
    resolveWireOptions(options);
    const { history } = options;
    if (history !== undefined && history !== "kimi-k2") {
      throw new TypeError(
        `Cannot use option history: expected "kimi-k2", got ${history as string}`,
      );
    }
    this.#fetch = fetch;
    this.#options = options;
  }

  async fetch(
    input: Parameters<Fetch>[0],
    init?: RequestInit,
    onRename?: (rename: ToolCallRename) => void,
  ): Promise<Response> {
    let request: FetchArguments = [input, init];
    let hasHistory = false;
    const body = await readJsonBody(input, init);
    if (body !== undefined) {
      const isKimiK2 = this.#options.history === "kimi-k2";
      const rewritten = rewriteRequest(body.text, this.#heldIds, isKimiK2);
      hasHistory = rewritten.hasHistory;
      request = rewritten.text === body.text ? body.unchanged : body.withText(rewritten.text);
    }
    const fetch = this.#fetch; // Not as a method: a browser's fetch would throw.
    const response = await fetch(...request);
    const { body: answer } = response;
    if (answer === null || !mayHoldCalls(response, hasHistory)) return response;
    const ids = new UniqueToolCallIdStream({
      ...this.#options,
      onRename: (rename) => {
        this.#heldIds.add(rename);
        onRename?.(rename);
        this.#options.onRename?.(rename);
      },
    });
    return new RenamedResponse(answer.pipeThrough(ids), { facts: response, owner: response });
  }
}

function mayHoldCalls({ ok, headers }: Response, isAnswer: boolean): boolean {
  const type = headers.get("content-type")?.split(";")[0]?.trim().toLowerCase();
  return ok && (type === "text/event-stream" || (type === "application/json" && isAnswer));
}
