import * as fc from "fast-check";
import { inject, vi } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** The environment variables that the properties look at, on every runtime. */
    readonly environment: Readonly<Record<string, string | undefined>>;
  }
}

const environment = inject("environment");

/** Few enough for every save of a file; a push to CI can wait, and `PROPERTY_RUNS` decides itself. */
const LOCAL_RUNS = 100;
const CI_RUNS = 2000;

/** A run that takes longer than this waits for something that never comes. */
const RUN_TIMEOUT_MS = 5000;

const runs = numberOf("PROPERTY_RUNS") ?? (environment["CI"] ? CI_RUNS : LOCAL_RUNS);
const seed = numberOf("PROPERTY_SEED") ?? Date.now() % 2 ** 31;

/** As long as a run may take, on a machine that is busy with others. */
const timeLimitMs = 60_000 + runs * 100;
// The property ends before the test: with what it has found.
vi.setConfig({ testTimeout: timeLimitMs + 2 * RUN_TIMEOUT_MS });

console.log(`${runs} runs of each property, PROPERTY_SEED=${seed}`);

/**
 * How every property is run.
 *
 * @param failures cases that failed once, named after what was wrong: they run first
 */
export function parameters<Case>(
  failures: Readonly<Record<string, Case>> = {},
): fc.Parameters<Case> {
  return {
    numRuns: runs,
    seed,
    timeout: RUN_TIMEOUT_MS,
    interruptAfterTimeLimit: timeLimitMs,
    markInterruptAsFailure: true,
    examples: Object.values(failures),
  };
}

function numberOf(variable: string): number | undefined {
  const value = environment[variable];
  if (value === undefined || value === "") return undefined;
  const number = Number(value);
  if (!Number.isInteger(number)) throw new TypeError(`Cannot use ${variable}: "${value}"`);
  return number;
}
