import { isBlank, JsonEnd } from "../json/json-end.ts";
import { readJson } from "../json/json-value.ts";
import { TextBuffer } from "../json/text-buffer.ts";

/**
 * The arguments of one call as they grow: their text, and whether it is a JSON value yet.
 *
 * Every character is scanned once, when it comes. A first fragment that may be all of the arguments
 * is parsed before.
 */
export class ArgumentText extends JsonEnd {
  /** The value of the text, if one fragment was all of it. */
  value: unknown;

  #text = new TextBuffer();
  #lastFragment = "";
  /** Whether each fragment so far began with the one before it (servers that send snapshots). */
  #isCumulative = true;

  get length(): number {
    return this.#text.length;
  }

  /** Whether this may still be a placeholder: its text is then better not shown. */
  get mayBePlaceholder(): boolean {
    return !this.isBroken && !this.hasContent;
  }

  /** @returns how many characters of `fragment` belong to the arguments; the rest came too late. */
  append(fragment: string): number {
    this.#isCumulative &&= fragment.startsWith(this.#lastFragment);
    this.#lastFragment = fragment;

    // Only a first fragment can be all: parsing every one would read each character many times.
    if (this.length === 0) this.value = this.parse(fragment);
    const position = this.value === undefined ? this.scan(fragment) : fragment.length;
    // Text behind a closed scalar belongs to the arguments, and breaks them.
    if (!this.isClosed) this.scan(fragment.slice(position));
    const taken = this.isClosed ? fragment.slice(0, position) : fragment;
    this.#text.append(taken);
    return taken.length;
  }

  /** As {@link append}, for free text: it is not scanned, and all of it belongs to the arguments. */
  appendFree(text: string): number {
    this.#text.append(text);
    return text.length;
  }

  /**
   * The arguments of a server that repeated them: the last fragment. It must be an object by itself.
   * It must also begin with all the text before it, or every fragment with the fragment before.
   *
   * Only for text that is broken. Nothing is closed, quoted or guessed.
   */
  repaired(): string | undefined {
    const last = this.#lastFragment;
    if (!this.isBroken || !isObjectText(last)) return undefined;
    const before = this.toString().slice(0, -last.length);
    return this.#isCumulative || last.startsWith(before) ? last : undefined;
  }

  override toString(): string {
    return this.#text.toString();
  }
}

/** The text of the object inside a JSON string (arguments encoded twice), if there is one. */
export function unwrapped(text: string): string | undefined {
  // Text without a quote first is no JSON string: it need not be parsed.
  const inner = /^\s*"/.test(text) ? readJson(text) : undefined;
  return typeof inner === "string" && isObjectText(inner) ? inner : undefined;
}

/** Scans: most texts here are no JSON, and the platform's parser is slow to refuse them. */
function isObjectText(text: string): boolean {
  const end = new JsonEnd();
  const length = end.scan(text);
  return end.isClosed && /^\s*\{/.test(text) && isBlank(text.slice(length));
}
