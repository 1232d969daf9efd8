import * as fc from "fast-check";

export type JsonValue =
  | null
  | boolean
  | number
  | string
  | readonly JsonValue[]
  | { readonly [key: string]: JsonValue };

/** A value, and one of the many texts that JSON has for it. */
export interface JsonText {
  readonly value: JsonValue;
  readonly text: string;
}

/** What has confused readers of streams: quotes, escapes, brackets, framing, halves of a pair. */
const AWKWARD = [
  '"',
  "\\",
  "/",
  "{",
  "}",
  "[",
  "]",
  ",",
  ":",
  "\n",
  "\r",
  "\t",
  "\b",
  "\u0000",
  "\u001F",
  "\u007F",
  "é",
  "ß",
  "€",
  "漢",
  "\u2028",
  "\uFEFF",
  "\uFFFD",
  "😀",
  "👩‍👧",
  "\uD83D",
  "\uDE00",
  '\\"',
  '"}',
  "{}",
  "\\u0041",
  "\\ud83d",
  "data: ",
  "\n\n",
  "[DONE]",
  "<|im_end|>",
];

/** Text in which every kind of character occurs. */
export const textArbitrary: fc.Arbitrary<string> = fc.string({
  unit: fc.oneof(
    { arbitrary: fc.string({ minLength: 1, maxLength: 1 }), weight: 3 },
    { arbitrary: fc.constantFrom(...AWKWARD), weight: 2 },
  ),
  maxLength: 10,
});

const keyArbitrary = fc.oneof(
  {
    arbitrary: fc.constantFrom("a", "city", "path", "0", "", "__proto__", "constructor"),
    weight: 2,
  },
  { arbitrary: textArbitrary, weight: 1 },
);

const numberArbitrary = fc.oneof(
  fc.integer(),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(0, -0, 1, 1e21, 1e-7, Number.MAX_SAFE_INTEGER, Number.MAX_VALUE, 5e-324),
);

const { value: valueArbitrary, object: objectArbitrary } = fc.letrec<{
  value: JsonValue;
  object: { readonly [key: string]: JsonValue };
  array: readonly JsonValue[];
  scalar: JsonValue;
}>((tie) => ({
  value: fc.oneof({ maxDepth: 3, depthSize: "small" }, tie("scalar"), tie("object"), tie("array")),
  object: fc
    .array(fc.tuple(keyArbitrary, tie("value")), { maxLength: 3, depthIdentifier: "json" })
    // Not an object literal: `__proto__` is a key like any other in JSON.
    .map((entries) => Object.fromEntries(entries)),
  array: fc.array(tie("value"), { maxLength: 3, depthIdentifier: "json" }),
  scalar: fc.oneof(textArbitrary, numberArbitrary, fc.boolean(), fc.constant(null)),
}));

/** How a text is written, decided by one number after the other, cyclically; none: compactly. */
const styleArbitrary = fc.array(fc.nat({ max: 15 }), { maxLength: 6 });

function written(value: fc.Arbitrary<JsonValue>): fc.Arbitrary<JsonText> {
  return fc
    .tuple(value, styleArbitrary)
    .map(([json, style]) => ({ value: json, text: new JsonWriter(style).write(json) }));
}

/** The text of an object, the shape that arguments have. */
export const objectTextArbitrary: fc.Arbitrary<JsonText> = written(objectArbitrary);
/** The text of any JSON value. */
export const jsonTextArbitrary: fc.Arbitrary<JsonText> = written(valueArbitrary);

const GAPS = ["", "", "", "", "", "", " ", "\n", "\t", "\r\n", "  "];

/** Writes a value as no serialiser does: with other white space, escapes and forms of numbers. */
class JsonWriter {
  #style: readonly number[];
  #count = 0;

  constructor(style: readonly number[]) {
    this.#style = style;
  }

  write(value: JsonValue): string {
    return this.#gap() + this.#value(value);
  }

  #next(): number {
    const next = this.#style[this.#count % Math.max(this.#style.length, 1)] ?? 0;
    this.#count += 1;
    return next;
  }

  #gap(): string {
    return GAPS[this.#next()] ?? "";
  }

  #value(value: JsonValue): string {
    if (typeof value === "string") return this.#string(value);
    if (typeof value === "number") return this.#number(value);
    if (typeof value !== "object" || value === null) return JSON.stringify(value);
    const isArray = Array.isArray(value);
    const members = isArray
      ? value.map((element: JsonValue) => this.#around(this.#value(element)))
      : Object.entries(value).map(
          ([key, member]) =>
            `${this.#around(this.#string(key))}:${this.#around(this.#value(member))}`,
        );
    const inside = members.length === 0 ? this.#gap() : members.join(",");
    return isArray ? `[${inside}]` : `{${inside}}`;
  }

  #around(text: string): string {
    return this.#gap() + text + this.#gap();
  }

  #string(value: string): string {
    // By UTF-16 code unit, so that half a pair can be escaped and the other half not.
    const units = value.split("").map((unit) => {
      const style = this.#next();
      if (style === 7) return escaped(unit);
      if (style === 8 && unit === "/") return "\\/";
      return unit === '"' || unit === "\\" || unit < " " ? JSON.stringify(unit).slice(1, -1) : unit;
    });
    return `"${units.join("")}"`;
  }

  #number(value: number): string {
    if (Object.is(value, -0)) return "-0";
    const isPlain = Number.isInteger(value) && Math.abs(value) < 1e15;
    switch (isPlain ? this.#next() : 0) {
      case 7:
        return `${value}.0`;
      case 8:
        return `${value}e0`;
      case 9:
        return value === 0 ? "0E0" : `${value}0E-1`;
      default:
        return `${value}`;
    }
  }
}

/** A character as JSON's `\u` escapes it. */
export function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
