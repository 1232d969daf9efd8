import { readFile } from "node:fs/promises";
import { ASSEMBLE_HELP, HELP, PROXY_HELP } from "./help.ts";
import type { Io } from "./io.ts";
import { printable } from "./printable.ts";
import { HELP_FLAG, readFlags } from "./usage.ts";
import { UsageError } from "./values.ts";

const COMMANDS = "the commands are proxy, assemble and help";
const HELPS: Readonly<Record<string, string | undefined>> = {
  "": HELP,
  proxy: PROXY_HELP,
  assemble: ASSEMBLE_HELP,
};

/** Runs a command to its end. @returns its exit code */
export async function main(args: readonly string[], io: Io): Promise<number> {
  // A reader of only the first lines (`| head`) closes it. Commands that must know await each write.
  io.stdout.on("error", ignore);
  io.stderr.on("error", ignore);
  try {
    const [command = "", ...rest] = args;
    if (command === "proxy") {
      // Neither command loads the other: streams and servers take as much memory as all else.
      const { runProxy } = await import("./run-proxy.ts");
      return await runProxy(rest, io);
    }
    if (command === "assemble") return await runAssemble(rest, io);
    if (command === "help") return printHelp(rest, io);
    if (command === "" || command.startsWith("-")) return await runWithoutCommand(args, io);
    // It is not repeated: it may hold a key.
    if (/^https?:/i.test(command)) {
      throw new UsageError("Cannot run a URL: did you mean toolcall-stream proxy --target URL?");
    }
    throw new UsageError(`Cannot run ${command}: ${COMMANDS}`);
  } catch (error) {
    const isUsage = error instanceof UsageError;
    const advice = isUsage ? ". See toolcall-stream --help" : "";
    io.stderr.write(`${printable((error as Error).message)}${advice}\n`);
    return isUsage ? 2 : 1;
  }
}

async function runWithoutCommand(args: readonly string[], io: Io): Promise<number> {
  const { help, version, events } = readFlags(args, {
    help: HELP_FLAG,
    version: { type: "boolean", short: "v" },
    events: { type: "boolean" },
  });
  if (version === true) io.stdout.write(`${await readVersion()}\n`);
  else if (help === true || io.stdin.isTTY === true) io.stdout.write(HELP);
  else return runAssembly(io, events === true);
  return 0;
}

async function runAssembly(io: Io, isAllEvents: boolean): Promise<number> {
  const { assemble } = await import("./assemble.ts");
  return assemble(io, isAllEvents);
}

async function runAssemble(args: readonly string[], io: Io): Promise<number> {
  const { help, events } = readFlags(args, { help: HELP_FLAG, events: { type: "boolean" } });
  if (help !== true) return runAssembly(io, events === true);
  io.stdout.write(ASSEMBLE_HELP);
  return 0;
}

function printHelp([command = ""]: readonly string[], io: Io): number {
  const help = Object.hasOwn(HELPS, command) ? HELPS[command] : undefined;
  if (help === undefined) throw new UsageError(`Cannot help with ${command}: ${COMMANDS}`);
  io.stdout.write(help);
  return 0;
}

async function readVersion(): Promise<string> {
  const text = await readFile(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(text) as { version: string }).version;
}

function ignore(): void {}
