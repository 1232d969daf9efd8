import { parseArgs } from "node:util";
import { readDuration, readPort, readSize, readTarget, UsageError } from "./values.ts";

export interface ProxyArguments {
  readonly target: URL;
  readonly host: string;
  readonly port: number;
  readonly history: "kimi-k2" | undefined;
  /** The most bytes of a request that are held in memory. */
  readonly maxBody: number;
  /** How long open requests may go on when the proxy is told to stop. */
  readonly graceMs: number;
  /** Whether the log is for machines. */
  readonly isJson: boolean;
}

type Flag = { readonly type: "boolean"; readonly short?: string };

export const HELP_FLAG: Flag = { type: "boolean", short: "h" };

/** The flags among `args`, where nothing else is allowed. */
export function readFlags<Name extends string>(
  args: readonly string[],
  options: { readonly [name in Name]: Flag },
): { readonly [name in Name]?: boolean } {
  return parse(() => parseArgs({ args: [...args], options }).values) as {
    [name in Name]?: boolean;
  };
}

/** @returns `undefined` when help was asked for */
export function readProxyArguments(args: readonly string[]): ProxyArguments | undefined {
  const values = parse(
    () =>
      parseArgs({
        args: [...args],
        options: {
          help: { type: "boolean", short: "h" },
          target: { type: "string" },
          host: { type: "string", default: "127.0.0.1" },
          port: { type: "string", default: "8787" },
          history: { type: "string" },
          "max-body": { type: "string", default: "64MiB" },
          grace: { type: "string", default: "30s" },
          json: { type: "boolean", default: false },
        },
      }).values,
  );
  const { help, target, host, port, history, grace, json } = values;
  if (help === true) return undefined;
  if (history !== undefined && history !== "kimi-k2") {
    throw new UsageError(`Cannot use --history ${history}: only kimi-k2 is known`);
  }
  if (host === "") throw new UsageError("Cannot use --host: it is empty, which is every address");
  return {
    target: readTarget(target),
    host,
    port: readPort(port),
    history,
    maxBody: readSize(values["max-body"]),
    graceMs: readDuration(grace),
    isJson: json,
  };
}

function parse<Values>(read: () => Values): Values {
  try {
    return read();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // The argument may be a URL that holds a key.
    if (code === "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL") {
      throw new UsageError(
        "Cannot read arguments: one of them stands behind no option. A URL goes behind --target",
      );
    }
    // The sentences after the first give advice for arguments that no command takes.
    const [sentence] = message.split(". ");
    throw new UsageError(`Cannot read arguments: ${sentence}`);
  }
}
