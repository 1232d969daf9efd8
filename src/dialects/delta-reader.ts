import { type DialectReader, type ResponseDialect } from "./dialect.ts";
import type { Delta } from "./delta.ts";
import { detectDialect } from "./readers.ts";
import { readProviderError, toProviderError } from "./provider-error.ts";
import { isForeignName } from "../events/payloads.ts";
import { isObject, presentString, type JsonObject } from "../json/object.ts";

/** The parsed payloads of one response → deltas, whatever its dialect. */
export class DeltaReader {
  /** The first payload of a known shape decides. */
  dialect: ResponseDialect | undefined;
  #reader: DialectReader | undefined;

  /** Whether an event reads alike wherever it stands in the response. */
  get isStateless(): boolean {
    return this.#reader?.isStateless === true;
  }

  /** Fields of the response that change with each event, as they are now. */
  get lastFields(): JsonObject | undefined {
    return this.#reader?.lastFields;
  }

  /**
   * @param payload of a list, each element is a payload of its own, see {@link elementsOf}
   * @param name the name of the event
   */
  read(payload: unknown, name: string | undefined): readonly Delta[] {
    if (!isObject(payload)) return [];
    this.dialect ??= detectDialect(payload, name);
    if (this.dialect?.matches(payload, name)) {
      this.#reader ??= this.dialect.openReader();
      return this.#reader.read(payload, name);
    }
    return this.#readError(payload, name);
  }

  /**
   * The response has ended, without an error.
   *
   * @param isDone whether it said so
   */
  end(isDone: boolean): readonly Delta[] {
    return this.#reader?.end(isDone) ?? [];
  }

  #readError(payload: JsonObject, name: string | undefined): readonly Delta[] {
    const kind = this.dialect?.hasKinds ? presentString(payload["type"]) : undefined;
    const isForeign = kind === undefined ? isForeignName(name) : kind !== "error";
    // A foreign event may well report an error of its own.
    if (isForeign && name !== "error") return [];
    // OpenAI sends errors flat, with this `type`; older versions of vLLM, with this `object`.
    const isError = [name, payload["type"], payload["object"]].includes("error");
    const error = readProviderError(payload) ?? (isError ? toProviderError(payload) : undefined);
    return error === undefined ? [] : [{ type: "error", error }];
  }
}

/** The payloads in one value. They are applied one by one, so that limits count between them. */
export function elementsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}
