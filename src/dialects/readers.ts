import type { JsonObject } from "../json/object.ts";
import type { Dialect } from "../types.ts";
import { chat } from "./chat/reader.ts";
import type { ResponseDialect } from "./dialect.ts";
import { messages } from "./messages/reader.ts";
import { responses } from "./responses/reader.ts";

const READERS: Readonly<Record<Dialect, ResponseDialect>> = { chat, messages, responses };

/** The dialect of a payload, by its shape alone. */
export function detectDialect(
  payload: JsonObject,
  name: string | undefined,
): ResponseDialect | undefined {
  return Object.values(READERS).find((dialect) => dialect.matches(payload, name));
}
