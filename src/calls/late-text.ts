import { JsonEnd } from "../json/json-end.ts";
import { TextBuffer } from "../json/text-buffer.ts";

/**
 * The text behind the closed arguments of a call: the values in it, and the rest.
 *
 * Servers repeat the arguments, append the next call's arguments, or leak special tokens.
 */
export class LateText {
  /** Whether text came that begins no object, array or string, or that breaks one off. */
  isJunk = false;
  /** The open value, or the junk. */
  #text = new TextBuffer();
  #end = new JsonEnd();
  /** The closed values; the first `#taken` have been taken. */
  #values: string[] = [];
  #taken = 0;

  /** The values that have closed, in order. */
  get values(): readonly string[] {
    return this.#values;
  }

  /** Whether nothing but white space has come. */
  get isEmpty(): boolean {
    return this.#text.length === 0 && this.#values.length === 0;
  }

  append(fragment: string): void {
    let rest = fragment;
    while (rest !== "") {
      if (this.#text.length === 0) {
        rest = rest.slice(rest.search(/[^ \t\n\r]|$/));
        this.isJunk = !'{["'.includes(rest.charAt(0));
      }
      const end = this.isJunk ? rest.length : this.#end.scan(rest);
      this.#text.append(rest.slice(0, end));
      rest = rest.slice(end);
      if (this.#end.isBroken) this.isJunk = true;
      else if (this.#end.canEnd) {
        this.#values.push(this.#text.take());
        this.#end = new JsonEnd();
      }
    }
  }

  /** The next value, in order. */
  take(): string | undefined {
    const value = this.#values[this.#taken];
    if (value !== undefined) this.#taken += 1;
    return value;
  }

  /** The value that has not closed, or the junk that cannot. */
  get rest(): string {
    return this.#text.toString();
  }
}
