import { jsonText } from "../json-value.ts";
import { isObject, presentString } from "../provider-error.ts";
import type { JsonObject, ToolCall } from "../types.ts";
import type { IdPlace } from "./dialect.ts";

/** The kind of an event, where the dialect has kinds: some gateways send it only as the name. */
export function kindOf(payload: JsonObject, name: string | undefined): string | undefined {
  return presentString(payload["type"]) ?? name;
}

/** A key, not a position: `"0"` is 0, and -1 or four billion are as good as any. */
export function indexKey(index: unknown): string | undefined {
  if (typeof index === "number") return `${index}`;
  return presentString(index);
}

/** Servers have sent arguments as an object; their JSON text is what was meant. */
export function argumentText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : jsonText(value);
}

/** The fields that no one has defined; absent ones left out. */
export function unknownFields(
  fields: JsonObject,
  known: ReadonlySet<string>,
): JsonObject | undefined {
  let unknown: [string, unknown][] | undefined;
  for (const key in fields) {
    if (!known.has(key) && fields[key] !== null) (unknown ??= []).push([key, fields[key]]);
  }
  return unknown && Object.fromEntries(unknown);
}

export function objectOr(value: unknown): JsonObject {
  return isObject(value) ? value : {};
}

/** Where an id stands, and what is to stand there if it is not that of the call. */
export function placeOf(
  holder: JsonObject,
  field: string,
  mayInsert = false,
  text?: string,
): IdPlace {
  return { holder, field, mayInsert, text };
}

/** The id of a call or result in a history. */
export function idOf(id: unknown): string {
  return typeof id === "string" ? id : "";
}

/** The name that a call has in a history, where servers reject none. */
export function nameOf(call: ToolCall): string {
  return call.name === "" ? "unnamed_tool" : call.name;
}
