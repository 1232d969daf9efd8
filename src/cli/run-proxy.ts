import { PROXY_HELP } from "./help.ts";
import type { Io } from "./io.ts";
import { jsonOf, type LogEntry, textOf } from "./log-line.ts";
import { proxyEnvironmentFor } from "./proxy-environment.ts";
import { startProxy } from "./proxy.ts";
import { readProxyArguments } from "./usage.ts";

/** Serves until a signal. @returns the exit code */
export async function runProxy(args: readonly string[], io: Io): Promise<number> {
  const options = readProxyArguments(args);
  if (options === undefined) {
    io.stdout.write(PROXY_HELP);
    return 0;
  }
  const print = (line: string): boolean => io.stdout.write(`${line}\n`);
  const warn = (line: string): boolean => io.stderr.write(`${line}\n`);
  // Heard before the proxy listens: a signal that comes meanwhile must stop it too.
  const stopped = nextSignal(io);
  const { target, isJson, graceMs } = options;
  const { environment, warning } = proxyEnvironmentFor(target, io.env);
  if (warning !== undefined) warn(warning);

  const log = (entry: LogEntry): boolean => print(isJson ? jsonOf(entry) : textOf(entry));
  const proxy = await startProxy({ ...options, environment, log });
  const { url } = proxy;
  const behind = target.href.replace(/\/$/, "");
  print(isJson ? JSON.stringify({ url, target: behind }) : listening(url, behind));
  if (proxy.isOpen) warn(`Everyone who reaches ${url} can use the server behind it`);

  await stopped;
  if (proxy.openRequests > 0) {
    const second = nextSignal(io);
    warn(waiting(proxy.openRequests));
    await firstOf([proxy.drain(), second], graceMs);
  }
  await proxy.stop();
  return 0;
}

function listening(url: string, target: string): string {
  return `Listening on ${url}, forwarding to ${target}`;
}

function waiting(count: number): string {
  const [requests, them] = count === 1 ? ["request", "it"] : ["requests", "them"];
  return `Waiting for ${count} open ${requests}; a second signal cuts ${them}`;
}

function nextSignal(io: Io): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) io.once(signal, resolve);
  });
}

/** Settles with the first, at the latest after some time. */
async function firstOf(promises: readonly Promise<void>[], milliseconds: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([...promises, late]);
  clearTimeout(timer);
}
