import type { ToolCall } from "../types.ts";
import type { JsonObject } from "../json/object.ts";
import type { PartDelta } from "./delta.ts";
import { objectOr } from "./fields.ts";

/** As the field of a part delta: a call has begun, and this is its place among the parts. */
export const CALL_PLACE = "call";

/** A part as it grows. What changes it returns how many characters longer the part is then. */
export interface PartDraft<Part> {
  /** Takes what the start of the part had, or its end: nothing that came before counts. */
  replace(content: JsonObject): number;
  /** @param path what in the part the value is for */
  add(path: string, value: unknown): number;
  write(): Part;
}

/** A message that is a list of parts, each with a key that no other has, and of calls between them. */
export class PartsDraft<Part> {
  /** In the order in which they began; for the n-th call, of index n, `undefined`. */
  #parts: (PartDraft<Part> | undefined)[] = [];
  #byKey = new Map<string, PartDraft<Part>>();
  #Draft: new () => PartDraft<Part>;
  #writeCall: (call: ToolCall) => Part;

  constructor(Draft: new () => PartDraft<Part>, writeCall: (call: ToolCall) => Part) {
    this.#Draft = Draft;
    this.#writeCall = writeCall;
  }

  add({ field, path, value }: PartDelta): number {
    if (field === CALL_PLACE) {
      this.#parts.push(undefined);
      return 0; // The calls are counted elsewhere.
    }
    let part = this.#byKey.get(field);
    // Calls and what has no type are not among the parts; of a message that was given up, none is.
    if (path !== undefined) return part?.add(path, value) ?? 0;
    if (part === undefined) {
      part = new this.#Draft();
      this.#byKey.set(field, part);
      this.#parts.push(part);
    }
    return part.replace(objectOr(value));
  }

  write(calls: readonly ToolCall[]): Part[] {
    const rest = [...calls];
    let place = 0;
    const written = this.#parts.flatMap((part): Part | Part[] => {
      if (part !== undefined) return part.write();
      // It may be open yet, or have been dropped as a copy.
      const here = rest[0]?.index === place ? rest.splice(0, 1) : [];
      place += 1;
      return here.map(this.#writeCall);
    });
    return [...written, ...rest.map(this.#writeCall)];
  }
}
