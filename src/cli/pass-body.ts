import type { IncomingMessage, ServerResponse } from "node:http";
import { type Coding, decodeStages } from "./content-coding.ts";
import { codeOf } from "./error-code.ts";
import { FramedBody } from "./framed-body.ts";

const NOTHING = new Uint8Array(0);

/** What is done to the chunks of a body. */
export interface Rewriter {
  push(chunk: Uint8Array): Uint8Array;
  /** What it still holds. */
  end(): Uint8Array;
}

/**
 * Passes the body of an answer on. It sits on the events of Node's streams, with nothing between: a stage
 * of streams costs as much for each event as all of the rewriting.
 *
 * @returns `undefined` when the client has all of it; what broke the body off, when the client has all that
 *   came before; nothing, if the client goes
 * @throws what the rewriter throws
 */
export function passBody(
  answer: IncomingMessage,
  outgoing: ServerResponse,
  rewriter: Rewriter | undefined,
  codings: readonly Coding[],
): Promise<string | undefined> {
  const { stages, decoded: body } = decodeStages(answer, codings);
  const sent = new FramedBody(outgoing);
  return new Promise((resolve, reject) => {
    /** What goes wrong in here must not end the process, as it would in a listener. */
    const attempt = (step: () => void): void => {
      try {
        step();
      } catch (error) {
        reject(error as Error);
      }
    };
    const write = (chunk: Uint8Array): void => {
      const bytes = rewriter === undefined ? chunk : rewriter.push(chunk);
      if (bytes.length > 0 && !sent.write(bytes)) body.pause();
    };
    const end = (): void => {
      const rest = rewriter?.end() ?? NOTHING;
      const broken = stages.find(({ errored }) => errored !== null);
      if (broken === undefined) sent.end(rest, () => resolve(undefined));
      else sent.write(rest, () => resolve(codeOf(broken.errored)));
    };
    body.on("data", (chunk: Buffer) => attempt(() => write(chunk)));
    outgoing.on("drain", () => body.resume());
    body.on("end", () => attempt(end));
    body.on("error", () => {
      attempt(() => {
        // What a slow client has not yet been given of it.
        write(body.read() ?? NOTHING);
        end();
      });
    });
  });
}
