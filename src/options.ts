import { mintId } from "./ids.ts";
import type { Diagnostic } from "./types.ts";

/** 8 Mi characters: a response of that size is far beyond what models write in one turn. */
const DEFAULT_MAX_LENGTH = 8 * 1024 * 1024;
const DEFAULT_MAX_TOOL_CALLS = 1024;

/** How a response is read. Lengths are in characters (UTF-16 code units). */
export interface ToolCallStreamOptions<Input = unknown> {
  /**
   * Makes a call's input of its argument text; what it throws makes the call incomplete. The place
   * for a validator (zod, valibot) or a repairing parser. Synchronous: a promise is rejected.
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
  /** Sees every diagnostic as it arises; what it throws is ignored. */
  readonly onDiagnostic?: ((diagnostic: Diagnostic) => void) | undefined;
}

/** The options with their defaults. */
export interface ResolvedOptions<Input> {
  readonly parseArguments: (text: string, call: { readonly name: string }) => Input;
  readonly generateId: () => string;
  readonly eager: boolean;
  readonly maxEventLength: number;
  readonly maxArgumentsLength: number;
  readonly maxMessageLength: number;
  readonly maxToolCalls: number;
  readonly onDiagnostic: ((diagnostic: Diagnostic) => void) | undefined;
}

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
  if (typeof options !== "object" || options === null) {
    throw new TypeError(`Cannot read options: expected an object, got ${describe(options)}`);
  }
  const {
    // Without `parseArguments` nothing else binds Input, and it is the caller's `unknown`.
    parseArguments = parseJson as (text: string) => Input,
    generateId = mintId,
    eager = true,
    maxEventLength = DEFAULT_MAX_LENGTH,
    maxArgumentsLength = DEFAULT_MAX_LENGTH,
    maxMessageLength = DEFAULT_MAX_LENGTH,
    maxToolCalls = DEFAULT_MAX_TOOL_CALLS,
    onDiagnostic,
  } = options;
  checkType("parseArguments", parseArguments, "function");
  checkType("generateId", generateId, "function");
  checkType("eager", eager, "boolean");
  checkLimit("maxEventLength", maxEventLength);
  checkLimit("maxArgumentsLength", maxArgumentsLength);
  checkLimit("maxMessageLength", maxMessageLength);
  checkLimit("maxToolCalls", maxToolCalls);
  if (onDiagnostic !== undefined) checkType("onDiagnostic", onDiagnostic, "function");
  return {
    parseArguments,
    generateId,
    eager,
    maxEventLength,
    maxArgumentsLength,
    maxMessageLength,
    maxToolCalls,
    onDiagnostic,
  };
}

export function checkType(name: string, value: unknown, type: "function" | "boolean"): void {
  if (typeof value !== type) {
    throw new TypeError(`Cannot use option ${name}: expected a ${type}, got ${describe(value)}`);
  }
}

function checkLimit(name: string, value: unknown): void {
  if (typeof value !== "number") {
    throw new TypeError(`Cannot use option ${name}: expected a number, got ${describe(value)}`);
  }
  if (value !== Number.POSITIVE_INFINITY && !(Number.isInteger(value) && value > 0)) {
    throw new RangeError(
      `Cannot use option ${name}: expected a positive integer or Infinity, got ${value}`,
    );
  }
}

function describe(value: unknown): string {
  if (value === null) return "null";
  return typeof value === "string" ? JSON.stringify(value.slice(0, 40)) : typeof value;
}
