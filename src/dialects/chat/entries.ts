import { isObject, type JsonObject, presentString } from "../../json/object.ts";

/**
 * Whether an entry of `tool_calls` says that it is something else than a call. One of another type that
 * has a `function` is a call all the same (Moonshot's `builtin_function`).
 */
export function isOtherEntry(entry: JsonObject): boolean {
  const type = presentString(entry["type"]);
  const hasBody = isObject(entry["function"]) || isObject(entry["custom"]);
  return type !== undefined && type !== "function" && type !== "custom" && !hasBody;
}
