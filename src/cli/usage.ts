import { parseArgs } from "node:util";

const DEFAULT_PORT = "8787";
const MAX_PORT = 65_535;

/** Arguments that a command cannot run with; the message is for the user who typed them. */
export class UsageError extends Error {}

export interface ProxyArguments {
  readonly target: URL;
  readonly host: string;
  readonly port: number;
  readonly history: "kimi-k2" | undefined;
}

type Flags<Name extends string> = { readonly [name in Name]: { readonly type: "boolean" } };

/** The flags among `args`, where nothing else is allowed. */
export function readFlags<Name extends string>(
  args: readonly string[],
  options: Flags<Name>,
): { readonly [name in Name]?: boolean } {
  return parse(() => parseArgs({ args: [...args], options }).values) as {
    [name in Name]?: boolean;
  };
}

/** @returns `undefined` when help was asked for */
export function readProxyArguments(args: readonly string[]): ProxyArguments | undefined {
  const { help, target, host, port, history } = parse(
    () =>
      parseArgs({
        args: [...args],
        options: {
          help: { type: "boolean" },
          target: { type: "string" },
          host: { type: "string", default: "127.0.0.1" },
          port: { type: "string", default: DEFAULT_PORT },
          history: { type: "string" },
        },
      }).values,
  );
  if (help === true) return undefined;
  if (history !== undefined && history !== "kimi-k2") {
    throw new UsageError(`Cannot use --history ${history}: only kimi-k2 is known`);
  }
  if (host === "") throw new UsageError("Cannot use --host: it is empty, which is every address");
  return { target: readTarget(target), host, port: readPort(port), history };
}

function parse<Values>(read: () => Values): Values {
  try {
    return read();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    // The argument may be a URL that holds a key.
    if (code === "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL") {
      throw new UsageError("Cannot read arguments: one of them stands behind no option");
    }
    // The sentences after the first give advice for arguments that no command takes.
    const [sentence] = message.split(". ");
    throw new UsageError(`Cannot read arguments: ${sentence}`);
  }
}

function readTarget(text: string | undefined): URL {
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

function readPort(text: string): number {
  const port = /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (port <= MAX_PORT) return port;
  throw new UsageError(`Cannot use --port ${text}: expected a number from 0 to ${MAX_PORT}`);
}
