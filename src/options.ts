import { mintId } from "./ids.ts";
import type { Diagnostic } from "./types.ts";

/** 8 Mi characters: a response of that size is far beyond what models write in one turn. */
const DEFAULT_MAX_LENGTH = 8 * 1024 * 1024;

/** How a response is read. Lengths are in characters (UTF-16 code units). */
export interface ToolCallStreamOptions<Input = unknown> {
  /**
   * Makes a call's input of its argument text; if it throws, the call is incomplete. The place for a
   * validator (zod, valibot) or a repairing parser. Synchronous: a promise is rejected.
   *
   * It sees a text once its value has closed and, after a normal end, also a text that is not JSON.
   * A repairing parser thereby accepts that a server may hide a cut.
   *
   * @default JSON.parse
   */
  readonly parseArguments?: ((text: string, call: { readonly name: string }) => Input) | undefined;
  /**
   * Makes the id of a call: never empty, never twice the same.
   *
   * @default `call_` and 28 random characters of `[a-z0-9]`
   */
  readonly generateId?: (() => string) | undefined;
  /**
   * Whether a call is delivered as soon as it is complete; `false` holds every call until the end.
   *
   * @default true
   */
  readonly eager?: boolean | undefined;
  /**
   * The longest event; also the longest body that is plain JSON.
   *
   * @default 8388608
   */
  readonly maxEventLength?: number | undefined;
  /**
   * The longest arguments of one call, its name, ids, unknown fields and late text included.
   *
   * @default 8388608
   */
  readonly maxArgumentsLength?: number | undefined;
  /**
   * The longest text of one response, all choices and their reasoning together. Beyond it the
   * assembled message is given up, with a diagnostic; calls go on.
   *
   * @default 8388608
   */
  readonly maxMessageLength?: number | undefined;
  /**
   * The most calls of one response.
   *
   * @default 1024
   */
  readonly maxToolCalls?: number | undefined;
  /** Sees every diagnostic as it arises; its errors are ignored. */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
}

/** The options with their defaults. */
export type ResolvedOptions<Input> = {
  readonly [Name in keyof ToolCallStreamOptions<Input>]-?: NonNullable<
    ToolCallStreamOptions<Input>[Name]
  >;
};

const DEFAULTS: ResolvedOptions<unknown> = {
  parseArguments: parseJson,
  generateId: mintId,
  eager: true,
  maxEventLength: DEFAULT_MAX_LENGTH,
  maxArgumentsLength: DEFAULT_MAX_LENGTH,
  maxMessageLength: DEFAULT_MAX_LENGTH,
  maxToolCalls: 1024,
  onDiagnostic: () => {},
};

/** The default of `parseArguments`. */
export function parseJson(text: string): unknown {
  return JSON.parse(text);
}

/**
 * Checks the options and fills in their defaults.
 *
 * @throws TypeError when an option has the wrong type, RangeError when a limit is not a positive
 *   integer (or `Infinity`)
 */
export function resolveOptions<Input>(
  options: ToolCallStreamOptions<Input>,
): ResolvedOptions<Input> {
  // Without `parseArguments` nothing else binds Input: it is the caller's `unknown`.
  return withDefaults(options, DEFAULTS) as ResolvedOptions<Input>;
}

/** The options that have a default, each checked against its type. */
export function withDefaults<Options extends object>(options: object, defaults: Options): Options {
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`Cannot read options: expected an object, got ${describe(options)}`);
  }
  const resolved: Options = { ...defaults };
  for (const name in defaults) {
    const value = (options as Options)[name]; // Of this type or absent, once it is checked.
    if (value === undefined) continue;
    checkType(name, value, typeof defaults[name]);
    const isLimit = typeof value === "number" && value !== Number.POSITIVE_INFINITY;
    if (isLimit && !(Number.isInteger(value) && value > 0)) {
      throw new RangeError(
        `Cannot use option ${name}: expected a positive integer or Infinity, got ${value}`,
      );
    }
    resolved[name] = value;
  }
  return resolved;
}

/** @throws TypeError when the value of an option is of another type */
export function checkType(name: string, value: unknown, type: string): void {
  if (typeof value !== type) {
    throw new TypeError(`Cannot use option ${name}: expected a ${type}, got ${describe(value)}`);
  }
}

export function describe(value: unknown): string {
  if (value === null) return "null";
  return typeof value === "string" ? JSON.stringify(value.slice(0, 40)) : typeof value;
}
