/** An object as JSON gives it. */
export interface JsonObject {
  readonly [key: string]: unknown;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A string that is there: `""` counts as absent, as `null` does. */
export function presentString(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
