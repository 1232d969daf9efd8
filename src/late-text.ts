import { isWhiteSpace, JsonEnd } from "./json-end.ts";
import { TextBuffer } from "./text-buffer.ts";

/**
 * What still arrives for a call whose arguments have closed: the values in it, and the rest.
 *
 * Servers repeat the arguments, append those of the next call, or leak special tokens.
 */
export class LateText {
  /** The value that is open, or junk: what never closes. */
  #text = new TextBuffer();
  #end = new JsonEnd();
  #isJunk = false;
  /** The objects, arrays and strings that have closed since the last {@link take}. */
  #values: string[] = [];

  append(fragment: string): void {
    let position = 0;
    while (position < fragment.length) {
      if (this.#text.length === 0) {
        const code = fragment.charCodeAt(position);
        if (isWhiteSpace(code)) {
          position += 1;
          continue;
        }
        this.#isJunk = !'{["'.includes(fragment.charAt(position));
      }
      if (this.#isJunk) {
        this.#text.append(fragment.slice(position));
        return;
      }
      const end = this.#end.scan(fragment, position);
      this.#text.append(fragment.slice(position, end));
      position = end;
      if (this.#end.state === "failed") this.#isJunk = true;
      else if (this.#end.state === "closed") {
        this.#values.push(this.#text.toString());
        this.#text = new TextBuffer();
        this.#end = new JsonEnd();
      }
    }
  }

  take(): string[] {
    const values = this.#values;
    if (values.length > 0) this.#values = [];
    return values;
  }

  /** What has not closed, or could not: dropped, if the end of the response finds it here. */
  get rest(): string {
    return this.#text.toString();
  }
}
