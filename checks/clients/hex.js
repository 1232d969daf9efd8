import { randomUUID } from "node:crypto";

/** @returns {string} 32 hex digits */
export const hex = () => randomUUID().replaceAll("-", "");
