import type { Dialect } from "../types.ts";
import { chat } from "./chat/reader.ts";
import type { ResponseDialect } from "./dialect.ts";
import { messages } from "./messages/reader.ts";
import { responses } from "./responses/reader.ts";

/** For the wire: these read calls only. */
export const READERS: Readonly<Record<Dialect, ResponseDialect>> = { chat, messages, responses };
