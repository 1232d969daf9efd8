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
interface Place<Part> {
  readonly key: unknown;
  /** The position that the server gave it, else that of the place before it. */
  readonly position: number;
  /** The part, or the index of the call. */
  readonly content: PartDraft<Part> | number;
}

/** A message that is a list of parts, each with a key of its own, and of calls between them. */
export class PartsDraft<Part> {
  /** In the order in which they began. */
  #places: Place<Part>[] = [];
  #byKey = new Map<string, PartDraft<Part>>();
  #callCount = 0;
  /** By key: the positions of the parts and calls in the whole response. */
  #output: ReadonlyMap<unknown, number> = new Map();
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
      if (Array.isArray(value)) this.#output = new Map(value.map((key, index) => [key, index]));
      return 0;
    }
    if (field === CALL_PLACE) {
      this.#open(value, order, this.#callCount);
      this.#callCount += 1;
      return 0; // The calls are counted elsewhere.
    }
    let part = this.#byKey.get(field);
    // Calls and blocks without a type are no parts; a message that was given up has no parts.
    if (path !== undefined) return part === undefined ? 0 : part.add(path, value, show);
    if (part === undefined) {
      if (isLater) return 0;
      part = new this.#Draft();
      this.#byKey.set(field, part);
      this.#open(field, order, part);
    }
    return part.replace(objectOr(value), isEnd, show);
  }

  /** In the order of the whole response if it has all of them, else by the positions of the places. */
  write(calls: readonly ToolCall[]): Part[] {
    const byIndex = new Map(calls.map((call) => [call.index, call]));
    const output = this.#output;
    const isWhole = this.#places.every(({ key }) => output.has(key));
    const positionOf = ({ key, position }: Place<Part>): number =>
      isWhole ? (output.get(key) as number) : position;
    return this.#places
      .slice()
      .sort((a, b) => positionOf(a) - positionOf(b))
      .flatMap(({ content }) => {
        if (typeof content !== "number") return [content.write(this.#isCompleted)];
        // The call may still be open, or have been dropped as a copy.
        const call = byIndex.get(content);
        return call === undefined ? [] : [this.#writeCall(call)];
      });
  }

  #open(key: unknown, order: string | undefined, content: PartDraft<Part> | number): void {
    const given = Number(order);
    const position = Number.isNaN(given) ? (this.#places.at(-1)?.position ?? -1) : given;
    this.#places.push({ key, position, content });
  }
}
