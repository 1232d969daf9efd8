/** Text → bytes, and whole bytes → text: a byte order mark is text like any other. */
export const encoder: TextEncoder = /* @__PURE__ */ new TextEncoder();
export const decoder: TextDecoder = /* @__PURE__ */ new TextDecoder("utf-8", { ignoreBOM: true });

/** @throws TypeError when a chunk is none */
export function bytesOf(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  if (ArrayBuffer.isView(chunk)) {
    return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  }
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk);
  throw new TypeError(`Cannot read chunk: expected bytes or text, got ${typeof chunk}`);
}

/** One array of all the bytes. A single part is returned itself. */
export function joined(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  if (first !== undefined && parts.length === 1) return first;
  let length = 0;
  for (const part of parts) length += part.length;
  const bytes = new Uint8Array(length);
  let start = 0;
  for (const part of parts) {
    bytes.set(part, start);
    start += part.length;
  }
  return bytes;
}

/** Bytes that come in pieces. A list of small pieces would take far more memory than their bytes. */
export class ByteBuffer {
  #bytes = new Uint8Array(0);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  append(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#bytes.length) {
      // Twice as large, so that all the copying is linear.
      const larger = new Uint8Array(Math.max(length, 2 * this.#bytes.length));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, this.#length);
    this.#length = length;
  }

  /** All of the bytes; the caller owns them now. */
  take(): Uint8Array<ArrayBuffer> {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#bytes = new Uint8Array(0);
    this.#length = 0;
    return bytes;
  }
}
