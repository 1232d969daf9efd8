/**
 * An object without members. Some calls have no other arguments; and some servers send it first, and
 * the arguments afterwards.
 */
export const PLACEHOLDER = "{}";
