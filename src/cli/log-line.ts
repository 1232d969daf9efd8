import { printable } from "./printable.ts";

/** How a request ended. */
export type Ending = "whole" | "cut by the server" | "cut by the proxy" | "closed by the client";

/** One request that has ended. No query, no header and no body: they may hold keys. */
export interface LogEntry {
  readonly time: Date;
  readonly method: string;
  /** The one that the server was asked for, or would have been. */
  readonly path: string;
  /** `undefined` where no answer has begun. */
  readonly status: number | undefined;
  /** Whose the status is. */
  readonly by: "server" | "proxy";
  /** Why the proxy answered itself, or what cut the answer. */
  readonly reason: string | undefined;
  readonly ending: Ending;
  readonly milliseconds: number;
  readonly renamed: number;
}

/** A line for people. */
export function textOf(entry: LogEntry): string {
  const { time, method, path, status, by, reason, ending, milliseconds, renamed } = entry;
  const why = reason === undefined ? "" : `: ${reason}`;
  const calls = renamed === 1 ? "1 call" : `${renamed} calls`;
  const isWhole = ending === "whole";
  const answered = status === undefined ? "-" : `${status} by the ${by}${isWhole ? why : ""}`;
  const parts = [answered, `${milliseconds} ms`, `${calls} renamed`];
  if (!isWhole) parts.push(`${ending}${why}`);
  return printable(`${time.toISOString()} ${method} ${path} ${parts.join(", ")}`);
}

/** A line for machines: the same as JSON, with `null` for what there is not. */
export function jsonOf(entry: LogEntry): string {
  const { status = null, by, reason = null } = entry;
  return printable(JSON.stringify({ ...entry, status, by: status && by, reason }));
}
