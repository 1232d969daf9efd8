import { TextBuffer } from "../../json/text-buffer.ts";

/** The text of a part: it comes in pieces, or whole, or both, in any order and more than once. */
export class PartText {
  /** The text up to the last event that had all of it. */
  #whole = "";
  /** All of it, as that event had it. */
  #latest = "";
  /** How much of the whole text the pieces have said. */
  #said = 0;
  /** The pieces that go on behind it. */
  #rest = new TextBuffer();

  get length(): number {
    return this.#whole.length + this.#rest.length;
  }

  /** @returns whether the piece is new: servers send some behind the whole text */
  append(piece: string): boolean {
    if (this.#whole.startsWith(piece, this.#said)) {
      this.#said += piece.length;
      return false;
    }
    this.#rest.append(piece);
    this.#said = this.length;
    return true;
  }

  /** Whether this text may be all of it. */
  fits(whole: string | undefined): boolean {
    return whole === "" || whole === this.#latest || whole?.startsWith(this.toString()) === true;
  }

  /** @returns what is new in the whole text; one that contradicts the pieces counts, but is not new */
  replace(whole: string): string {
    // The pieces behind it stay.
    if (whole === "" || whole === this.#latest) return "";
    this.#latest = whole;
    const rest = this.#rest.take();
    const text = this.#whole + rest;
    const isLonger = whole.startsWith(text);
    // Where parts share an index, the pieces behind the one are the next.
    const isNext = whole === rest && !isLonger;
    this.#whole = isNext ? text : whole;
    if (!isLonger) this.#said = this.#whole.length;
    return isLonger ? whole.slice(text.length) : "";
  }

  toString(): string {
    return this.#whole + this.#rest.toString();
  }
}
