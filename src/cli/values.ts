const MAX_PORT = 65_535;
/** Bytes of each unit of a size. */
const UNITS = { B: 1, KiB: 2 ** 10, MiB: 2 ** 20, GiB: 2 ** 30 } as const;
/** Milliseconds of each unit of a time. */
const TIMES = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 } as const;
/** What a string of the engine holds at most, in characters: the text of a larger body is none. */
const MAX_BODY = 2 ** 28;
/** What a timer takes: 24 days. */
const MAX_GRACE_MS = 2 ** 31 - 1;

/** Arguments that a command cannot run with; the message is for the user who typed them. */
export class UsageError extends Error {}

export function readTarget(text: string | undefined): URL {
  if (text === undefined) throw new UsageError("Cannot start proxy: --target is missing");
  // The text is not repeated where it may hold a key.
  if (!URL.canParse(text)) throw new UsageError("Cannot use --target: it is no URL");
  const target = new URL(text);
  if (target.protocol !== "http:" && target.protocol !== "https:") {
    throw new UsageError(`Cannot use --target: ${target.protocol} is neither http: nor https:`);
  }
  if (target.username !== "" || target.password !== "") {
    throw new UsageError("Cannot use --target: it holds a user or a password");
  }
  if (/[?#]/.test(target.href)) {
    throw new UsageError("Cannot use --target: it holds a query or a fragment");
  }
  return target;
}

export function readPort(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (port <= MAX_PORT) return port;
  throw new UsageError(`Cannot use --port ${text}: expected a number from 0 to ${MAX_PORT}`);
}

/** The bytes of a size such as `64MiB`. */
export function readSize(text: string): number {
  const [, digits, unit = "B"] = /^(\d+)(B|KiB|MiB|GiB)?$/.exec(text) ?? [];
  const size = Number(digits) * UNITS[unit as keyof typeof UNITS];
  if (size <= MAX_BODY) return size;
  throw new UsageError(`Cannot use --max-body ${text}: expected a size of at most 256MiB`);
}

/** The milliseconds of a time such as `30s`. */
export function readDuration(text: string): number {
  const [, digits, unit = "s"] = /^(\d+)(ms|s|m|h)?$/.exec(text) ?? [];
  const milliseconds = Number(digits) * TIMES[unit as keyof typeof TIMES];
  if (milliseconds <= MAX_GRACE_MS) return milliseconds;
  throw new UsageError(`Cannot use --grace ${text}: expected a time such as 30s`);
}
