import type { Writable } from "node:stream";
import { ToolCallStreamError } from "../errors.ts";
import { ChatEventStream } from "../streams/chat-event-stream.ts";
import { ToolCallStream } from "../streams/tool-call-stream.ts";
import type { Diagnostic } from "../types.ts";
import type { Io } from "./io.ts";
import { printable } from "./printable.ts";
import { webBodyOf } from "./web-body.ts";

/**
 * Prints the calls of the response on stdin, or all of its events, each as a line of JSON.
 *
 * @returns the exit code
 */
export async function assemble(
  io: Pick<Io, "stdin" | "stdout" | "stderr">,
  isAllEvents: boolean,
): Promise<number> {
  const report = (line: string): boolean => io.stderr.write(`${printable(line)}\n`);
  const onDiagnostic = ({ severity, code, message, event }: Diagnostic): void => {
    report(`${severity} ${code}, event ${event}: ${message}`);
  };
  const stream: ReadableWritablePair<unknown, Uint8Array> = isAllEvents
    ? new ChatEventStream({ onDiagnostic })
    : new ToolCallStream({ onDiagnostic });
  try {
    const values = webBodyOf(io.stdin).pipeThrough(stream);
    for await (const value of values)
      await print(io.stdout, `${printable(JSON.stringify(value))}\n`);
    return 0;
  } catch (error) {
    const { code, message } = error as Error & { code?: string };
    // The reader of the output has closed it.
    if (code === "EPIPE") return 0;
    report(
      error instanceof ToolCallStreamError ? `error ${code}: ${message}` : `error: ${message}`,
    );
    return 1;
  }
}

/** Settles when the line has gone out: a slow reader slows the response, a closed one ends it. */
function print(output: Writable, line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    output.write(line, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}
