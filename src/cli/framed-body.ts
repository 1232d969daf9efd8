import type { ServerResponse } from "node:http";

const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;
/** Of the line before a chunk and of the one behind it. */
const LINE_ENDS_LENGTH = 4;
const LAST_CHUNK = new TextEncoder().encode("0\r\n\r\n");

/**
 * The body of an answer whose head has been written. Node hands each chunk to the system in four pieces
 * (size, line end, bytes, line end); in one, an event costs a tenth less (`bench:proxy`).
 */
export class FramedBody {
  #outgoing: ServerResponse;
  /** Whether there is no length, and the client knows chunks. */
  #isChunked: boolean;

  constructor(outgoing: ServerResponse) {
    this.#outgoing = outgoing;
    this.#isChunked = outgoing.chunkedEncoding;
    outgoing.chunkedEncoding = false;
  }

  /** @returns whether the client keeps pace */
  write(bytes: Uint8Array, onWritten?: () => void): boolean {
    return this.#outgoing.write(this.#framed(bytes), onWritten);
  }

  end(rest: Uint8Array, onWritten: () => void): void {
    if (rest.length > 0) this.write(rest);
    if (this.#isChunked) this.#outgoing.end(LAST_CHUNK, onWritten);
    else this.#outgoing.end(onWritten);
  }

  #framed(bytes: Uint8Array): Uint8Array {
    // An empty chunk would be the last.
    if (!this.#isChunked || bytes.length === 0) return bytes;
    const size = bytes.length.toString(16);
    const framed = Buffer.allocUnsafe(size.length + bytes.length + LINE_ENDS_LENGTH);
    const start = framed.write(size, "latin1");
    framed[start] = CARRIAGE_RETURN;
    framed[start + 1] = LINE_FEED;
    framed.set(bytes, start + 2);
    framed[framed.length - 2] = CARRIAGE_RETURN;
    framed[framed.length - 1] = LINE_FEED;
    return framed;
  }
}
