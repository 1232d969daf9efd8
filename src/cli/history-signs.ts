/**
 * The fields of requests that hold a history, go on with one, or bring tools. What has none of them
 * (embeddings, whose `input` is text) is answered without calls, and its JSON need not be read.
 */
const SIGN =
  /"(?:messages|tools|items|prompt|previous_response_id|conversation)"|"input"\s*:\s*\[\s*\{/;
/** How much of a chunk is looked at again with the next: longer than any sign, white space included. */
const OVERLAP = 256;

/**
 * Whether the bytes of a body, chunk by chunk, may hold a history. It may see signs in a text, where they
 * say nothing: the body is then read in vain.
 */
export class HistorySigns {
  #areSeen = false;
  /** The end of what has been looked at. */
  #tail = "";

  get areSeen(): boolean {
    return this.#areSeen;
  }

  look(chunk: Buffer): void {
    if (this.#areSeen) return;
    // A character for each byte: signs are ASCII.
    const text = this.#tail + chunk.toString("latin1");
    this.#areSeen = SIGN.test(text);
    this.#tail = text.slice(-OVERLAP);
  }
}
