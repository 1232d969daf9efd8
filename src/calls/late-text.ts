import { JsonEnd } from "../json/json-end.ts";
import { TextBuffer } from "../json/text-buffer.ts";

/**
 * What still arrives for a call whose arguments have closed: the values in it, and the rest.
 *
 * Servers repeat the arguments, append those of the next call, or leak special tokens.
 */
export class LateText {
  /** Whether something came that begins no object, array or string, or broke one off. */
  isJunk = false;
  /** The value that is open, or the junk. */
  #text = new TextBuffer();
  #end = new JsonEnd();
  /** What has closed; the first `#taken` have been taken. */
  #values: string[] = [];
  #taken = 0;

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

  /** What has not closed, or could not. */
  get rest(): string {
    return this.#text.toString();
  }
}
