import type { JsonObject } from "../json/object.ts";

/** The holder with this list in a field; the holder itself if the list there has the same elements. */
export function withList(holder: JsonObject, field: string, list: readonly unknown[]): JsonObject {
  const old = holder[field];
  const isSame =
    Array.isArray(old) &&
    old.length === list.length &&
    list.every((element, index) => element === old[index]);
  return isSame ? holder : { ...holder, [field]: list };
}
