/** Controls (escape sequences, line ends) and marks that turn the direction of text. */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/gu;

/**
 * The text as a terminal may get it: what others sent must not move its cursor, nor begin a line of the
 * log. The escapes are those of JSON, in which the text then means the same.
 */
export function printable(text: string): string {
  return text.replace(UNPRINTABLE, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
}
