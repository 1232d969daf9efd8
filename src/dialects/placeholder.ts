/**
 * An object without members: all the arguments that some calls have, and what servers send where the
 * arguments are yet to come.
 */
export const PLACEHOLDER = "{}";
