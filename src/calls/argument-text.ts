import { isBlank, JsonEnd } from "../json/json-end.ts";
import { readJson } from "../json/json-value.ts";
import { TextBuffer } from "../json/text-buffer.ts";

/**
 * The arguments of one call as they grow: their text, and whether it is a JSON value yet.
 *
 * Every character is scanned once, when it comes; those of a first fragment are parsed before where
 * they may be all there is.
 */
export class ArgumentText extends JsonEnd {
  /** What the text is the JSON of, where one fragment was all of it. */
  value: unknown;

  #text = new TextBuffer();
  #lastFragment = "";
  /** Whether each fragment so far began with the one before it (servers that send snapshots). */
  #isCumulative = true;

  get length(): number {
    return this.#text.length;
  }

  /** Whether this can still turn out to be a placeholder, so that its text is better not shown. */
  get mayBePlaceholder(): boolean {
    return !this.isBroken && !this.hasContent;
  }

  /** @returns how many characters of `fragment` belong to the arguments; the rest came too late. */
  append(fragment: string): number {
    this.#isCumulative &&= fragment.startsWith(this.#lastFragment);
    this.#lastFragment = fragment;

    // Only a first fragment can be all, so no character is parsed again for each that follows.
    if (this.length === 0) this.value = this.parse(fragment);
    const position = this.value === undefined ? this.scan(fragment) : fragment.length;
    // Behind a scalar that has closed, further text belongs to the arguments, which it breaks.
    if (!this.isClosed) this.scan(fragment.slice(position));
    const taken = this.isClosed ? fragment.slice(0, position) : fragment;
    this.#text.append(taken);
    return taken.length;
  }

  /** As {@link append}, for text that is no JSON: none of it is looked at, and all belongs to it. */
  appendFree(text: string): number {
    this.#text.append(text);
    return text.length;
  }

  /**
   * The arguments of a server that repeated them: the last fragment, when it alone is an object and
   * begins with all that came before, or when every fragment began with the one before.
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

/** The object in a JSON string that holds an object (arguments encoded twice), if it is one. */
export function unwrapped(text: string): string | undefined {
  // All else is no string: it need not be parsed.
  const inner = /^\s*"/.test(text) ? readJson(text) : undefined;
  return typeof inner === "string" && isObjectText(inner) ? inner : undefined;
}

/** By a scan, since text that is no JSON is common here, and the platform's parser slow to refuse it. */
function isObjectText(text: string): boolean {
  const end = new JsonEnd();
  const length = end.scan(text);
  return end.isClosed && /^\s*\{/.test(text) && isBlank(text.slice(length));
}
