import { chat } from "./chat-encoder.ts";
import type { Encoder } from "./encoder.ts";
import { messages } from "./messages-encoder.ts";
import { responses } from "./responses-encoder.ts";

/** Every dialect: what holds of one holds of all. */
export const encoders: readonly Encoder[] = [chat, messages, responses];
