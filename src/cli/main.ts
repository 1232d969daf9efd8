import { readFile } from "node:fs/promises";
import type { Readable, Writable } from "node:stream";
import { assemble } from "./assemble.ts";
import { ASSEMBLE_HELP, HELP, PROXY_HELP } from "./help.ts";
import { startProxy } from "./proxy.ts";
import { readFlags, readProxyArguments, UsageError } from "./usage.ts";

/** The parts of `process` that a command uses. */
export interface Io {
  readonly stdin: Readable & { readonly isTTY?: boolean };
  readonly stdout: Writable;
  readonly stderr: Writable;
  once(signal: "SIGINT" | "SIGTERM", listener: () => void): unknown;
}

const FLAG = { type: "boolean" } as const;

/** Runs a command to its end. @returns its exit code */
export async function main(args: readonly string[], io: Io): Promise<number> {
  // A reader of only the first lines (`| head`) closes it. Commands that must know await each write.
  io.stdout.on("error", ignore);
  io.stderr.on("error", ignore);
  try {
    const [command = "", ...rest] = args;
    if (command === "proxy") return await runProxy(rest, io);
    if (command === "assemble") return await runAssemble(rest, io);
    if (command !== "" && !command.startsWith("-")) {
      throw new UsageError(`Cannot run ${command}: the commands are proxy and assemble`);
    }
    return await runWithoutCommand(args, io);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    const advice = isUsage ? ". See toolcall-stream --help" : "";
    io.stderr.write(`${(error as Error).message}${advice}\n`);
    return isUsage ? 2 : 1;
  }
}

async function runWithoutCommand(args: readonly string[], io: Io): Promise<number> {
  const { help, version, events } = readFlags(args, { help: FLAG, version: FLAG, events: FLAG });
  if (version === true) io.stdout.write(`${await readVersion()}\n`);
  else if (help === true || io.stdin.isTTY === true) io.stdout.write(HELP);
  else return assemble(io, events === true);
  return 0;
}

async function runAssemble(args: readonly string[], io: Io): Promise<number> {
  const { help, events } = readFlags(args, { help: FLAG, events: FLAG });
  if (help !== true) return assemble(io, events === true);
  io.stdout.write(ASSEMBLE_HELP);
  return 0;
}

async function runProxy(args: readonly string[], io: Io): Promise<number> {
  const options = readProxyArguments(args);
  if (options === undefined) {
    io.stdout.write(PROXY_HELP);
    return 0;
  }
  // Set before the proxy listens: a signal that comes meanwhile must stop it too.
  const stopped = new Promise<void>((resolve) => {
    io.once("SIGINT", resolve);
    io.once("SIGTERM", resolve);
  });
  const log = (line: string): boolean => io.stdout.write(`${line}\n`);
  const proxy = await startProxy({ ...options, log });
  log(`Listening on ${proxy.url}, forwarding to ${options.target.href.replace(/\/$/, "")}`);
  await stopped;
  await proxy.stop();
  return 0;
}

async function readVersion(): Promise<string> {
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

function ignore(): void {}
