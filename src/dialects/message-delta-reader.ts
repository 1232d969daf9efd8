import { isForeignName } from "../events/payloads.ts";
import { type JsonObject, presentString } from "../json/object.ts";
import { DeltaReader } from "./delta-reader.ts";
import type { Delta } from "./delta.ts";
import type { MessageDialect } from "./dialect.ts";
import { MESSAGE_READERS } from "./message-readers.ts";
import { readProviderError, toProviderError } from "./provider-error.ts";

/** Reads all that a response says: its message and its errors as well. */
export class MessageDeltaReader extends DeltaReader<MessageDialect> {
  constructor() {
    super(MESSAGE_READERS);
  }

  /** Fields of the response that change with each event, as they are now. */
  get lastFields(): JsonObject | undefined {
    return this.reader?.lastFields;
  }

  /**
   * The response has ended, without an error.
   *
   * @param isDone whether it said so
   */
  end(isDone: boolean): readonly Delta[] {
    return this.reader?.end?.(isDone) ?? [];
  }

  /** Only an error is of no dialect. */
  protected override readOther(payload: JsonObject, name: string | undefined): readonly Delta[] {
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
