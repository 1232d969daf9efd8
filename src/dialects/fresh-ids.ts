import type { ToolCall } from "../types.ts";
import { changed, words } from "./fields.ts";

/** The fields that name a call by its id, wherever in a message they stand. */
const ID_FIELDS = /* @__PURE__ */ words("id call_id");

/**
 * The values of a message, with the fresh id of a call wherever they name it by that of the server:
 * OpenRouter signs a call in `reasoning_details`, and a server that runs calls itself sends their
 * outputs. Of calls that share an id, the n-th place has that of the n-th.
 */
export class FreshIds {
  /** By the id of the server: the fresh ones, the next first. */
  #ids = new Map<string, string[]>();

  constructor(calls: readonly ToolCall[]) {
    for (const { id, providerId } of calls) {
      if (providerId === undefined) continue;
      const ids = this.#ids.get(providerId) ?? [];
      this.#ids.set(providerId, [...ids, id]);
    }
  }

  in<Value>(value: Value): Value {
    // A snapshot is written often, and most messages have no calls.
    if (this.#ids.size === 0) return value;
    return changed(value, (inner, field) =>
      typeof inner === "string" && ID_FIELDS.has(field) ? this.#next(inner) : inner,
    ) as Value;
  }

  #next(providerId: string): string {
    const ids = this.#ids.get(providerId) ?? [];
    // The last one stays: a place may come again.
    return (ids.length > 1 ? ids.shift() : ids[0]) ?? providerId;
  }
}
