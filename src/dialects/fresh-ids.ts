import { isObject } from "../json/object.ts";
import type { ToolCall } from "../types.ts";

/** The fields that name a call by its id, wherever in a message they stand. */
const ID_FIELDS: ReadonlySet<string> = new Set(["id", "call_id"]);

/** No dialect has ids this deep; recursion must not exhaust the stack. */
const MAX_DEPTH = 12;

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

  /** @returns the value itself where it names no call */
  in<Value>(value: Value): Value {
    return (this.#ids.size === 0 ? value : this.#renamed(value, 0)) as Value;
  }

  #renamed(value: unknown, depth: number): unknown {
    if (depth > MAX_DEPTH) return value;
    if (Array.isArray(value)) return value.map((element) => this.#renamed(element, depth + 1));
    if (!isObject(value)) return value;
    // Not by assignment: a field may be named `__proto__`.
    return Object.fromEntries(
      Object.entries(value).map(([field, inner]) => {
        const isId = typeof inner === "string" && ID_FIELDS.has(field);
        return [field, isId ? this.#next(inner) : this.#renamed(inner, depth + 1)];
      }),
    );
  }

  #next(providerId: string): string {
    const ids = this.#ids.get(providerId) ?? [];
    // The last one stays: a place may come again.
    return (ids.length > 1 ? ids.shift() : ids[0]) ?? providerId;
  }
}
