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
    /** What goes wrong in a listener would end the process. */
    const guarded =
      <Chunk>(listener: (chunk: Chunk) => void) =>
      (chunk: Chunk): void => {
        try {
          listener(chunk);
        } catch (error) {
          reject(error as Error);
        }
      };
    body.on("data", guarded(write)).on("end", guarded(end));
    body.on(
      "error",
      guarded(() => {
        // What a slow client has not yet been given of it.
        write(body.read() ?? NOTHING);
        end();
      }),
    );
    outgoing.on("drain", () => body.resume());
  });
}
