import { jsonText } from "../../json/json-value.ts";
import type { JsonObject } from "../../json/object.ts";
import { TextBuffer } from "../../json/text-buffer.ts";
import { objectOr } from "../fields.ts";
import { textOf } from "./items.ts";

/** A part of an item. Its text comes in pieces, or whole, or both, in any order and more than once. */
export class ItemPart {
  /** In characters. */
  length = 0;
  /** As it last came whole. */
  #value: unknown;
  /** The text in that. */
  #whole = "";
  /** How much of the whole text the pieces have said. */
  #said = 0;
  /** The pieces that go on behind it. */
  #rest = new TextBuffer();

  constructor(value: unknown) {
    this.replace(value);
  }

  get #textLength(): number {
    return this.#whole.length + this.#rest.length;
  }

  /** @returns whether the piece is new: servers send some behind the whole text */
  append(piece: string): boolean {
    if (this.#whole.startsWith(piece, this.#said)) {
      this.#said += piece.length;
      return false;
    }
    this.#rest.append(piece);
    this.#said = this.#textLength;
    this.length += piece.length;
    return true;
  }

  /** @returns what is new in the whole text; one that contradicts the pieces counts, but is not new */
  replace(value: unknown): string {
    const whole = textOf(objectOr(value)) ?? "";
    // Some servers end an item without the text that they have sent.
    if (whole === "" && this.#textLength > 0) return "";
    // Pieces behind the same text stay.
    const text = whole === this.#whole ? whole : this.#whole + this.#rest.take();
    this.#value = value;
    this.#whole = whole;
    this.length = jsonText(value).length + this.#rest.length;
    return whole.startsWith(text) ? whole.slice(text.length) : "";
  }

  write(): unknown {
    if (this.#rest.length === 0) return this.#value;
    const part: JsonObject = objectOr(this.#value);
    const field = "refusal" in part ? "refusal" : "text";
    return { ...part, [field]: `${this.#whole}${this.#rest}` };
  }
}
