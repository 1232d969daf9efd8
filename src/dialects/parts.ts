import type { ToolCall } from "../types.ts";
import type { JsonObject } from "../json/object.ts";
import type { PartDelta } from "./delta.ts";
import { objectOr } from "./fields.ts";

/** As the field of a part delta: a call begins here, among the parts. */
export const CALL_PLACE = "call";

/** A part as it grows. Each method that changes it returns how many characters it has grown. */
export interface PartDraft<Part> {
  /** Takes the content in the start or the end of the part: it replaces all before it. */
  replace(content: JsonObject): number;
  /** @param path the place of the value in the part */
  add(path: string, value: unknown): number;
  write(): Part;
}

/** A message that is a list of parts, each with a key of its own, and of calls between them. */
export class PartsDraft<Part> {
  /** In the order in which they began. `undefined` stands for a call: the n-th for index n. */
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
    // Calls and blocks without a type are no parts; a message that was given up has no parts.
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
      // The call may still be open, or have been dropped as a copy.
      const here = rest[0]?.index === place ? rest.splice(0, 1) : [];
      place += 1;
      return here.map(this.#writeCall);
    });
    return [...written, ...rest.map(this.#writeCall)];
  }
}
