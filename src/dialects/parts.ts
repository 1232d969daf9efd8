import type { ToolCall } from "../types.ts";
import type { JsonObject } from "../json/object.ts";
import type { PartDelta } from "./delta.ts";
import type { Show } from "./dialect.ts";
import { objectOr } from "./fields.ts";

/** As the field of a part delta: a call begins here, among the parts. Its value is the call's key. */
export const CALL_PLACE = "call";

/**
 * As the field of a part delta: the response is whole. Its value lists the keys of the parts and calls
 * in it, and its path is its status.
 */
export const WHOLE_PLACE = "whole";

/** A part as it grows. Each method that changes it returns how many characters it has grown. */
export interface PartDraft<Part> {
  /**
   * Takes the content in the start or the end of the part.
   *
   * @param isEnd whether it is the end
   */
  replace(content: JsonObject, isEnd: boolean, show: Show): number;
  /**
   * @param path the place of the value in the part
   * @returns `undefined` if it says nothing new
   */
  add(path: string, value: unknown, show: Show): number | undefined;
  /** @param isCompleted whether the response has said that it is complete */
  write(isCompleted: boolean): Part;
}

/** Where a part or a call stands. */
interface Place {
  readonly key: unknown;
  /** The position that the server gave it. */
  readonly order: string | undefined;
}

/** A message that is a list of parts, each with a key of its own, and of calls between them. */
export class PartsDraft<Part> {
  /** In the order in which they began. Without a part it is that of a call: the n-th for index n. */
  #places: (Place & { readonly part?: PartDraft<Part> })[] = [];
  #byKey = new Map<string, PartDraft<Part>>();
  /** The keys of the parts and calls in the whole response. */
  #output: readonly unknown[] = [];
  #isCompleted = false;
  #Draft: new () => PartDraft<Part>;
  #writeCall: (call: ToolCall) => Part;

  constructor(Draft: new () => PartDraft<Part>, writeCall: (call: ToolCall) => Part) {
    this.#Draft = Draft;
    this.#writeCall = writeCall;
  }

  add(delta: PartDelta, show: Show = () => {}): number | undefined {
    const { field, path, value, order, isEnd = false, isLater } = delta;
    if (field === WHOLE_PLACE) {
      this.#isCompleted = path === "completed";
      if (Array.isArray(value)) this.#output = value;
      return 0;
    }
    if (field === CALL_PLACE) {
      this.#places.push({ key: value, order });
      return 0; // The calls are counted elsewhere.
    }
    let part = this.#byKey.get(field);
    // Calls and blocks without a type are no parts; a message that was given up has no parts.
    if (path !== undefined) return part === undefined ? 0 : part.add(path, value, show);
    if (part === undefined) {
      if (isLater) return 0;
      part = new this.#Draft();
      this.#byKey.set(field, part);
      this.#places.push({ key: field, order, part });
    }
    return part.replace(objectOr(value), isEnd, show);
  }

  write(calls: readonly ToolCall[]): Part[] {
    const rest = new Map(calls.map((call) => [call.index, call]));
    let callCount = 0;
    const written = this.#places.flatMap(({ part, ...place }) => {
      if (part !== undefined) return { ...place, part: part.write(this.#isCompleted) };
      // The call may still be open, or have been dropped as a copy.
      const call = rest.get(callCount);
      rest.delete(callCount);
      callCount += 1;
      return call === undefined ? [] : { ...place, part: this.#writeCall(call) };
    });
    const ordered = inOrder(written, this.#output).map(({ part }) => part);
    return [...ordered, ...[...rest.values()].map(this.#writeCall)];
  }
}

/**
 * The places in the order of the server: that of the whole response if it has all of them, else by
 * their positions. A place that has none takes the first free one behind its neighbour in the whole
 * response; if it is not there either, it stays behind the place that came before it.
 */
function inOrder<P extends Place>(places: readonly P[], output: readonly unknown[]): P[] {
  let orders = new Map<unknown, number | undefined>(output.map((key, order) => [key, order]));
  if (!places.every(({ key }) => orders.has(key))) {
    orders = new Map(places.map(({ key, order }) => [key, positionOf(order)]));
    const taken = new Set(orders.values());
    let next = 0;
    for (const key of output) {
      let order = orders.get(key);
      if (order === undefined) {
        while (taken.has(next)) next += 1;
        order = next;
        orders.set(key, order);
      }
      next = Math.max(next, order + 1);
    }
  }
  let order = -1;
  return places
    .map((place) => {
      order = orders.get(place.key) ?? order;
      return { place, order };
    })
    .sort((a, b) => a.order - b.order)
    .map(({ place }) => place);
}

function positionOf(order: string | undefined): number | undefined {
  const position = Number(order);
  return Number.isFinite(position) ? position : undefined;
}
