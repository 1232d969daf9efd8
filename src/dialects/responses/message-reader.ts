import { isObject, type JsonObject, presentString } from "../../json/object.ts";
import type { Delta, PartDelta } from "../delta.ts";
import type { MessageDialect } from "../dialect.ts";
import { indexKey, objectOr, words } from "../fields.ts";
import { CALL_PLACE, WHOLE_PLACE } from "../parts.ts";
import { toProviderError } from "../provider-error.ts";
import { partTypeIn, SEPARATOR, SHOWN_TYPES, SUMMARY } from "./items.ts";
import {
  isCall,
  type Item,
  type ItemContent,
  responseIn,
  responses,
  ResponsesReader,
} from "./reader.ts";

/** The fields of the response that a next request, a log or a resumption needs. */
const RESPONSE_FIELDS = [
  ...words(
    "id model created_at service_tier status incomplete_details conversation previous_response_id",
  ),
];

/** The items of OpenAI Responses. */
export const responsesMessage: MessageDialect = {
  ...responses,
  hasKinds: true,
  // Gateways add it to every stream, also to a cut one.
  endsWithDone: false,
  openReader: () => new ResponsesMessageReader(),
  isNormalReason: (reason) => reason === "completed",
};

/** Reads all that the events of a response say. */
class ResponsesMessageReader extends ResponsesReader {
  /** For the end of a response that failed without saying why: a later event may still say it. */
  #lastDeltas: Delta[] = [];
  #sequenceNumber: unknown;

  get lastFields(): JsonObject {
    const number = this.#sequenceNumber;
    return number === undefined ? {} : { sequence_number: number };
  }

  override read(payload: JsonObject, name: string | undefined): Delta[] {
    const { sequence_number: sequenceNumber } = payload;
    if (sequenceNumber !== undefined) this.#sequenceNumber = sequenceNumber;
    const deltas = super.read(payload, name);
    const response = responseIn(payload);
    if (isObject(response)) {
      const fields = Object.fromEntries(RESPONSE_FIELDS.map((field) => [field, response[field]]));
      deltas.unshift({ type: "response", fields });
    }
    return deltas;
  }

  end(): Delta[] {
    return this.#lastDeltas;
  }

  protected override openPart(item: Item, content: ItemContent, isEnd: boolean): void {
    const { key, outputIndex: order } = item;
    if (isCall(item)) this.#pushField(CALL_PLACE, key, { order });
    else this.#pushField(key, content, { order, isEnd });
  }

  protected override endPart(item: Item, content: ItemContent): void {
    const isLater = item.hasText || item.isDone;
    this.#pushField(item.key, content, { isEnd: true, isLater });
  }

  protected override addText(
    item: Item,
    type: string,
    value: string | JsonObject,
    payload: JsonObject,
  ): void {
    item.hasText = true;
    const index = payload[type === SUMMARY ? "summary_index" : "content_index"];
    const partType = partTypeIn(item.type, type);
    const path = partType + SEPARATOR + (indexKey(index) ?? "0");
    if (typeof value !== "string") return this.#pushField(item.key, value, { path });
    const place = { choice: 0, field: item.key, path };
    this.deltas.push({ type: SHOWN_TYPES.get(partType) ?? "field", ...place, value });
  }

  protected override endResponse(
    response: JsonObject,
    kind: string,
    keys: readonly string[],
  ): void {
    const { usage, error } = response;
    if (isObject(usage)) this.deltas.push({ type: "usage", usage });
    const actual = presentString(response["status"]) ?? (kind === "done" ? "completed" : kind);
    this.#pushField(WHOLE_PLACE, keys, { path: actual });
    const { reason } = objectOr(response["incomplete_details"]);
    const incomplete = actual === "incomplete" ? presentString(reason) : undefined;
    this.deltas.push({ type: "finish", choice: 0, reason: incomplete ?? actual });
    if (isObject(error)) this.deltas.push({ type: "error", error: toProviderError(error) });
    else if (actual === "failed") {
      this.#lastDeltas = [{ type: "error", error: toProviderError({}) }];
    } else this.deltas.push({ type: "end", isCut: false });
  }

  #pushField(field: string, value: unknown, rest: Partial<PartDelta>): void {
    this.deltas.push({ ...rest, type: "field", choice: 0, field, value });
  }
}
