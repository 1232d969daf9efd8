import type * as Http from "node:http";

/**
 * Importing `node:http` also loads Node's own `fetch`, for the `WebSocket` that it exports: 9 MB that no
 * request here needs.
 */
export const http: typeof Http = process.getBuiltinModule("node:http");
