import { HeldIds } from "./held-ids.ts";
import { readRequest, type RequestBody } from "./request-ids.ts";
import {
  resolveWireOptions,
  type ToolCallRename,
  type UniqueToolCallIdOptions,
} from "../wire/wire-options.ts";

export interface UniqueToolCallIdsOptions extends Omit<UniqueToolCallIdOptions, "usedIds"> {
  /**
   * The ids that the model was trained to see. With `kimi-k2`, the history in each request gets the
   * ids of {@link kimiK2ToolCallIds}: the template of Kimi K2, K2.5 and K2.6 shows them to the model.
   *
   * @default the ids stay as they are: other models never see them
   */
  readonly history?: "kimi-k2" | undefined;
}

/** What the head of an answer says. */
export interface AnswerHead {
  /** Whether the status is a success. */
  readonly ok: boolean;
  /** The value of `content-type`. */
  readonly contentType: string | null;
}

/** One request, and what is to be done about the ids in its answer. */
export interface WireRequest {
  /** The body with the ids that the server expects, and no other change; `undefined` if there is none. */
  readonly body: string | undefined;
  /**
   * How the ids in the answer are changed; `undefined` if it passes as it is.
   *
   * @param onRename sees the calls of this answer
   */
  answer(
    head: AnswerHead,
    onRename?: (rename: ToolCallRename) => void,
  ): UniqueToolCallIdOptions | undefined;
}

/**
 * The ids of all requests and answers between a client and its servers. It does no I/O: a wrapped fetch
 * and the proxy are two ways to ask it.
 */
export class WireIds {
  #options: UniqueToolCallIdsOptions;
  #heldIds = new HeldIds();

  /** @throws TypeError or RangeError when an option is of the wrong type or out of range */
  constructor(options: UniqueToolCallIdsOptions) {
    resolveWireOptions(options);
    const { history } = options;
    if (history !== undefined && history !== "kimi-k2") {
      throw new TypeError(
        `Cannot use option history: expected "kimi-k2", got ${history as string}`,
      );
    }
    this.#options = options;
  }

  /** @param body the text of a body that is JSON; any other body is none of ours */
  request(method: string, body: string | undefined): WireRequest {
    const isKimiK2 = this.#options.history === "kimi-k2";
    const request = body === undefined ? undefined : readRequest(body, this.#heldIds, isKimiK2);
    // A response that can be fetched is one that the server holds.
    const isHeld = request?.holdsAnswer ?? method === "GET";
    return {
      body: request?.text,
      answer: (head, onRename) => {
        if (!mayHoldCalls(head, request)) return undefined;
        return {
          ...this.#options,
          usedIds: request?.usedIds,
          onRename: (rename) => {
            if (isHeld) this.#heldIds.add(rename);
            onRename?.(rename);
            this.#options.onRename?.(rename);
          },
        };
      },
    };
  }
}

/** The types that an event stream comes with where a server leaves its own out. */
const UNTYPED: ReadonlySet<string> = new Set(["", "text/plain", "application/octet-stream"]);

function mayHoldCalls({ ok, contentType }: AnswerHead, request: RequestBody | undefined): boolean {
  const [type = ""] = (contentType ?? "").split(";");
  const name = type.trim().toLowerCase();
  if (!ok) return false;
  if (name === "text/event-stream") return true;
  if (request?.asksModel !== true) return false;
  return name === "application/json" || (request.isStreamed && UNTYPED.has(name));
}
