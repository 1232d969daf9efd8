import { isBlank, JsonEnd } from "./json-end.ts";
import { TextBuffer } from "./text-buffer.ts";

/**
 * The arguments of one call as they grow: their text, and whether it is a JSON value yet.
 *
 * Every character is scanned once, when it comes; those of a first fragment are parsed before where
 * they may be all there is.
 */
export class ArgumentText {
  /** What the text is the JSON of, where one fragment was all of it. */
  value: unknown;

  #text = new TextBuffer();
  #end = new JsonEnd();
  /** Set when text follows a scalar that has closed: no continuation can make that JSON. */
  #isOverrun = false;
  #fragmentCount = 0;
  #lastFragment = "";
  /** Whether each fragment so far began with the one before it (servers that send snapshots). */
  #isCumulative = true;

  get length(): number {
    return this.#text.length;
  }

  /** An object or array that has closed: no text that follows can belong to it. */
  get isClosed(): boolean {
    return this.#end.state === "closed" && this.#end.root !== "scalar";
  }

  /** Whether an object or array has anything in it: `{}` may be a placeholder. */
  get hasContent(): boolean {
    return this.#end.hasContent;
  }

  /** One whole JSON value. */
  get isWhole(): boolean {
    return this.#end.isWhole && !this.#isOverrun;
  }

  /** Whether no continuation could make this text JSON. */
  get isBroken(): boolean {
    return this.#end.state === "failed" || this.#isOverrun;
  }

  /** Whether this can still turn out to be a placeholder, so that its text is better not shown. */
  get mayBePlaceholder(): boolean {
    const { root, hasContent, state } = this.#end;
    return state !== "failed" && root !== "scalar" && !hasContent;
  }

  /** @returns how many characters of `fragment` belong to the arguments; the rest came too late. */
  append(fragment: string): number {
    this.#fragmentCount += 1;
    this.#isCumulative &&= fragment.startsWith(this.#lastFragment);
    this.#lastFragment = fragment;

    // Only a first fragment can be all, so no character is parsed again for each that follows.
    if (this.#fragmentCount === 1) this.value = this.#end.parse(fragment);
    const position = this.value === undefined ? this.#end.scan(fragment) : fragment.length;
    const taken = this.isClosed ? fragment.slice(0, position) : fragment;
    if (this.#end.state === "closed" && !this.isClosed) {
      this.#isOverrun ||= !isBlank(fragment, position);
    }
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
    if (!this.isBroken || this.#fragmentCount < 2 || !isObjectText(last)) return undefined;
    const text = this.toString();
    const before = text.slice(0, text.length - last.length);
    return this.#isCumulative || last.startsWith(before) ? last : undefined;
  }

  toString(): string {
    return this.#text.toString();
  }
}

/** The object in a JSON string that holds an object (arguments encoded twice), if it is one. */
export function unwrapped(text: string): string | undefined {
  if (!/^\s*"/.test(text)) return undefined;
  const inner: unknown = JSON.parse(text);
  return typeof inner === "string" && isObjectText(inner) ? inner : undefined;
}

function isObjectText(text: string): boolean {
  const end = new JsonEnd();
  const position = end.scan(text);
  return end.state === "closed" && end.root === "object" && isBlank(text, position);
}
