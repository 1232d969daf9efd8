import type { Readable, Writable } from "node:stream";

/** The parts of `process` that a command uses. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable;
  readonly env: Readonly<Record<string, string | undefined>>;
  once(signal: "SIGINT" | "SIGTERM", listener: () => void): unknown;
}
