/** How many fragments are joined at once; a power of two that keeps both loops short. */
const FRAGMENTS_PER_BLOCK = 1024;

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
    this.#fragments.push(fragment);
    if (this.#fragments.length === FRAGMENTS_PER_BLOCK) this.#join();
  }

  /** All text so far. Costs its length when something was appended since the last call. */
  toString(): string {
    if (this.#fragments.length > 0) this.#join();
    return this.#blocks;
  }

  #join(): void {
    this.#blocks += this.#fragments.join("");
    this.#fragments = [];
  }
}
