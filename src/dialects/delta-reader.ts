import { isObject, type JsonObject } from "../json/object.ts";
import type { Dialect } from "../types.ts";
import type { Delta } from "./delta.ts";
import type { DialectReader, ResponseDialect } from "./dialect.ts";

/** The parsed payloads of one response → deltas, whatever its dialect. */
export class DeltaReader<Known extends ResponseDialect> {
  /** The first payload of a known shape decides. */
  dialect: Known | undefined;
  protected reader: DialectReader | undefined;
  #dialects: readonly Known[];

  constructor(dialects: Readonly<Record<Dialect, Known>>) {
    this.#dialects = Object.values(dialects);
  }

  /**
   * @param payload of a list, each element is a payload of its own, see {@link elementsOf}
   * @param name the name of the event
   */
  read(payload: unknown, name: string | undefined): readonly Delta[] {
    if (!isObject(payload)) return [];
    this.dialect ??= this.#dialects.find((dialect) => dialect.matches(payload, name));
    if (!this.dialect?.matches(payload, name)) return this.readOther(payload, name);
    this.reader ??= this.dialect.openReader();
    return this.reader.read(payload, name);
  }

  /** Reads a payload that is not of the dialect: it has no calls. */
  protected readOther(_payload: JsonObject, _name: string | undefined): readonly Delta[] {
    return [];
  }
}

/** The payloads in one value. They are applied one by one, so that limits count between them. */
export function elementsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}
