import { jsonText } from "../json/json-value.ts";
import type { ToolCall } from "../types.ts";
import { isObject, presentString, type JsonObject } from "../json/object.ts";
import { PLACEHOLDER } from "./placeholder.ts";

/** The words of a text. */
export function words(text: string): ReadonlySet<string> {
  return new Set(text.split(" "));
}

/** Strings that deltas bring in pieces, whatever holds them. */
export const TEXT_FIELDS: ReadonlySet<string> = /* @__PURE__ */ words(
  "content refusal text thinking summary transcript reasoning_content reasoning reasoning_text",
);

/** All text in a value, however it is nested. Some servers send a token that is a digit as a number. */
export function textIn(value: unknown, depth = 0): string {
  if (typeof value === "string") return value;
  if (typeof value === "number") return `${value}`;
  // No text is nested so deep; recursion must not exhaust the stack.
  if (depth > 8) return "";
  if (Array.isArray(value)) return value.map((part) => textIn(part, depth + 1)).join("");
  if (!isObject(value)) return "";
  const texts = Object.keys(value).filter((field) => TEXT_FIELDS.has(field));
  return texts.map((field) => textIn(value[field], depth + 1)).join("");
}

/** Whether a reason is one of these, however it is spelled. */
export function isReasonIn(reasons: ReadonlySet<string>, reason: string): boolean {
  return reasons.has(reason.toLowerCase().replaceAll("-", "_"));
}

/** The kind of an event in a dialect that has kinds; some gateways send it only as the name. */
export function kindOf(payload: JsonObject, name: string | undefined): string | undefined {
  return presentString(payload["type"]) ?? name;
}

/** A key, not a position: `"0"` is 0, and -1 or four billion are as good as any. */
export function indexKey(index: unknown): string | undefined {
  if (typeof index === "number") return `${index}`;
  return presentString(index);
}

/** The name of a call, without the white space that some servers send around it. */
export function nameIn(content: JsonObject): string | undefined {
  return presentString(presentString(content["name"])?.trim());
}

/** Servers have sent arguments as an object: they meant its JSON text. */
export function argumentText(value: unknown): string {
  if (typeof value === "string") return value;
  return value === undefined || value === null ? "" : jsonText(value);
}

/** The fields that no dialect defines, without the `null` ones. */
export function unknownFields(
  fields: JsonObject,
  known: ReadonlySet<string>,
): JsonObject | undefined {
  // Most deltas have none, and there are thousands of them.
  let unknown: [string, unknown][] | undefined;
  for (const field in fields) {
    const value = fields[field];
    if (!known.has(field) && value !== null) (unknown ??= []).push([field, value]);
  }
  return unknown && Object.fromEntries(unknown);
}

const NOTHING: JsonObject = {};

export function objectOr(value: unknown): JsonObject {
  return isObject(value) ? value : NOTHING;
}

/** A copy with each value in it changed, the inner ones first. What becomes `undefined` is left out. */
export function changed(
  value: unknown,
  change: (value: unknown, field: string) => unknown,
  field = "",
): unknown {
  if (typeof value !== "object" || value === null) return change(value, field);
  const entries: [string, unknown][] = [];
  for (const [key, inner] of Object.entries(value)) {
    const copy = changed(inner, change, key);
    if (copy !== undefined) entries.push([key, copy]);
  }
  // Not by assignment: a field may be named `__proto__`.
  const isList = Array.isArray(value);
  return change(isList ? entries.map(([, copy]) => copy) : Object.fromEntries(entries), field);
}

/** The id of a call or result in a history. */
export function idOf(id: unknown): string {
  return typeof id === "string" ? id : "";
}

/**
 * The arguments of a call in a history. Servers parse them there and reject text that is no JSON, so an
 * incomplete call gets `{}`.
 */
export function argumentsOf(call: ToolCall): string {
  return call.status === "complete" ? call.arguments : PLACEHOLDER;
}

/** The name of a call in a history: servers reject a call without one. */
export function nameOf(call: ToolCall): string {
  return call.name || "unnamed_tool";
}
