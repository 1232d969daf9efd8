/** An object as JSON gives it. */
export interface JsonObject {
  readonly [key: string]: unknown;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A string that is present: `""` counts as absent, like `null`. */
export function presentString(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
