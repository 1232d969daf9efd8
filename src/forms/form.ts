import { encoder } from "../events/bytes.ts";
import { readJson } from "../json/json-value.ts";
import { isObject } from "../json/object.ts";

/** Where a value of the payload stands. */
interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}

/** The strings and numbers of an event. */
const VALUE = /("[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*)/;

/** An event of one object, in the lines that servers write: no dialect has others. */
const EVENT = /^(?:event: (\S.*)\n)?data: ?\{.*\}\n\n$/;

/** How it ends. Anthropic puts a random number of spaces there. */
const END = / *\}\n\n$/;

/** One event, cut at its values. */
export class Sample {
  readonly name: string | undefined;
  /** What stands between its strings and numbers, and these, in turn. */
  readonly pieces: readonly string[];

  private constructor(name: string | undefined, pieces: readonly string[]) {
    this.name = name;
    this.pieces = pieces;
  }

  /** @returns `undefined` if no form is made of such events */
  static of(event: string): Sample | undefined {
    const match = EVENT.exec(event);
    return match === null ? undefined : new Sample(match[1], event.replace(END, "").split(VALUE));
  }

  /**
   * The positions of the values in which another event differs.
   *
   * @returns `undefined` if they are of different forms
   */
  differences({ pieces: others }: Sample): number[] | undefined {
    if (others.length !== this.pieces.length) return undefined;
    const differences: number[] = [];
    for (let index = 0; index < others.length; index += 1) {
      const piece = this.pieces[index] as string;
      const other = others[index] as string;
      if (piece === other) continue;
      const isKey = others[index + 1]?.trimStart().startsWith(":");
      const isSameKind = piece.startsWith('"') === other.startsWith('"');
      if (index % 2 === 0 || isKey || !isSameKind) return undefined;
      differences.push(index);
    }
    return differences;
  }
}

/** Events that differ in nothing but the values of some places. */
export class Form {
  /** The name of the events. */
  readonly name: string | undefined;
  /** The bytes before, between and behind the places. */
  readonly parts: readonly DataView[];
  /** Whether a string stands in a place, and no number. */
  readonly isText: readonly boolean[];
  /** The positions of the values that differ. */
  readonly #variable: readonly number[];
  /** An event that has a mark in each place: as its value, the position. */
  readonly #marked: string;
  #payload: unknown;
  #places: readonly Place[] | undefined;

  private constructor({ name, pieces }: Sample, variable: readonly number[]) {
    this.name = name;
    this.#variable = variable;
    this.isText = variable.map((index) => pieces[index]?.startsWith('"') === true);
    this.parts = partsOf(pieces, variable);
    const marked = pieces.slice();
    for (const index of variable) marked[index] = markOf(index);
    const text = `${marked.join("")}}`;
    this.#marked = text.slice(text.indexOf("{"));
  }

  /** @returns `undefined` if some value has no place */
  static of(sample: Sample, variable: readonly number[]): Form | undefined {
    const form = new Form(sample, variable);
    return form.#findPlaces() === undefined ? undefined : form;
  }

  /** What parsing gives, once each place has its value. */
  get payload(): unknown {
    if (this.#places === undefined) this.#findPlaces();
    return this.#payload;
  }

  /** @param index that of the place */
  fill(index: number, value: unknown): void {
    const places = this.#places ?? this.#findPlaces();
    const { holder, key } = (places as readonly Place[])[index] as Place;
    holder[key] = value;
  }

  /** Whether the payload is someone else's, or not made yet. */
  get isReleased(): boolean {
    return this.#places === undefined;
  }

  /** Someone has kept objects of the payload: the next event gets one of its own. */
  release(): void {
    this.#places = undefined;
  }

  /** Makes a payload. @returns `undefined` if there is none, or if some value has no place in it */
  #findPlaces(): readonly Place[] | undefined {
    this.#payload = readJson(this.#marked);
    // Frames that are glued together are no JSON.
    if (this.#payload === undefined) return undefined;
    const found = new Map<unknown, Place[]>();
    findTexts(this.#payload, found);
    const places: Place[] = [];
    for (const index of this.#variable) {
      // A key that is written twice has no place, and a number outside of the data none either.
      const [place, another] = found.get(JSON.parse(markOf(index))) ?? [];
      if (place === undefined || another !== undefined) return undefined;
      places.push(place);
    }
    this.#places = places;
    return places;
  }
}

/** JSON of a text that no event has: it would have been escaped otherwise. */
function markOf(index: number): string {
  return `"\\u0000${index}"`;
}

function partsOf(pieces: readonly string[], variable: readonly number[]): DataView[] {
  const parts: DataView[] = [];
  let start = 0;
  let quote = "";
  for (const index of variable) {
    const before = quote + pieces.slice(start, index).join("");
    // The quotes of a text never differ.
    quote = pieces[index]?.startsWith('"') ? '"' : "";
    parts.push(viewOf(before + quote));
    start = index + 1;
  }
  return [...parts, viewOf(quote + pieces.slice(start).join(""))];
}

export function viewOf(text: string): DataView {
  return new DataView(encoder.encode(text).slice().buffer);
}

/** Finds all texts in a value, each with its places. */
function findTexts(value: unknown, places: Map<unknown, Place[]>): void {
  if (!isObject(value) && !Array.isArray(value)) return;
  const holder = value as Record<string, unknown>;
  for (const key of Object.keys(holder)) {
    const content = holder[key];
    // To assign to this key would do something else.
    if (typeof content === "string" && key !== "__proto__") {
      places.set(content, [...(places.get(content) ?? []), { holder, key }]);
    } else findTexts(content, places);
  }
}
