/** How many fragments are joined at once; a power of two that keeps both loops short. */
const FRAGMENTS_PER_BLOCK = 1024;

/** From this length on, a fragment is larger than the memory that a `+=` of it takes. */
const LONG_FRAGMENT = 256;

/**
 * Text that grows by fragments and is read at the end.
 *
 * Looking into a string between two `+=` flattens all of it, which makes n fragments cost O(n²).
 * Fragments are therefore collected and joined a block at a time: joining also frees them, or a
 * call that arrives in tokens would hold several times its own size.
 */
export class TextBuffer {
  length = 0;
  #blocks = "";
  #fragments: string[] = [];

  append(fragment: string): void {
    this.length += fragment.length;
    if (fragment.length < LONG_FRAGMENT) this.#fragments.push(fragment);
    else {
      this.#join();
      this.#blocks += fragment;
    }
    if (this.#fragments.length === FRAGMENTS_PER_BLOCK) this.#join();
  }

  /** All text so far. Costs its length when something was appended since the last call. */
  toString(): string {
    this.#join();
    return this.#blocks;
  }

  /** All text so far, to start again without it. */
  take(): string {
    const text = this.toString();
    this.#blocks = "";
    this.length = 0;
    return text;
  }

  #join(): void {
    if (this.#fragments.length === 0) return;
    this.#blocks += this.#fragments.join("");
    this.#fragments = [];
  }
}
