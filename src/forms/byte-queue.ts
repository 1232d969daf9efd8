const LINE_FEED = 0x0a;

/** Bytes that are taken from the front while more come. Each is copied once, mostly. */
export class ByteQueue {
  /** Where the bytes begin and end in {@link view}. */
  start = 0;
  end = 0;
  view: DataView;
  /** Grows with the chunks: a server may hold thousands of streams that send a few bytes at a time. */
  #bytes: Uint8Array;

  constructor() {
    this.#bytes = new Uint8Array(0);
    this.view = new DataView(this.#bytes.buffer);
  }

  get length(): number {
    return this.end - this.start;
  }

  append(bytes: Uint8Array): void {
    if (this.start === this.end) this.start = this.end = 0;
    if (this.end + bytes.length > this.#bytes.length) this.#makeRoom(bytes.length);
    this.#bytes.set(bytes, this.end);
    this.end += bytes.length;
  }

  /** Some of the bytes, until more are appended. */
  view8(start: number, end: number): Uint8Array {
    return this.#bytes.subarray(start, end);
  }

  /** Where the first event ends that has `\n` as its line ends; -1 if none does. */
  findEventEnd(): number {
    for (let position = this.start; ; position += 1) {
      position = this.#bytes.indexOf(LINE_FEED, position);
      if (position === -1 || position + 1 >= this.end) return -1;
      if (this.#bytes[position + 1] === LINE_FEED) return position + 2;
    }
  }

  #makeRoom(count: number): void {
    const held = this.#bytes.subarray(this.start, this.end);
    if (held.length + count > this.#bytes.length) {
      this.#bytes = new Uint8Array(2 * (held.length + count));
      this.view = new DataView(this.#bytes.buffer);
    }
    this.#bytes.set(held);
    this.end -= this.start;
    this.start = 0;
  }
}
