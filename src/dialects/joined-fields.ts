import { isObject, type JsonObject, presentString } from "../json/object.ts";
import { jsonText } from "../json/json-value.ts";
import { TextBuffer } from "../json/text-buffer.ts";
import { changed, indexKey, objectOr, TEXT_FIELDS, words } from "./fields.ts";

/** Strings that come whole: the last one counts. */
const LABEL_FIELDS = /* @__PURE__ */ words("role type id index format name mime_type url");

/** The types of list elements that come in pieces. */
const TEXT_TYPE = /^(?:thinking|reasoning|refusal)$|(?:text|summary)$/;

/** The `index`, `id` and `type` that tell the elements of a list apart. */
type Labels = readonly (string | undefined)[];

/** A value as it grows by pieces; a label, number or boolean as it is. */
type Joined = JoinedText | JoinedFields | JoinedList | Label;

type Label = string | number | boolean;

/** About as many characters as the JSON of all that is joined has. */
interface Size {
  length: number;
}

/**
 * An object as the server would have sent it without streaming, from the pieces that deltas bring.
 * Nobody has defined how most fields are cut, so their names and forms decide, nearly as in OpenAI's
 * SDK for Python:
 *
 * - `null` and empty values say nothing. Numbers and booleans are replaced, objects joined by field.
 * - Of strings, texts are appended and labels are replaced, by their names. All others are appended,
 *   unless all pieces are equal: a label that is repeated.
 * - Of a list, each element joins the one that it continues, see {@link JoinedList}.
 * - Where forms differ, a string is the `text` of the object, or a text in the list.
 *
 * The work is linear in the pieces: a text is joined when it is read.
 */
export class JoinedFields {
  #fields = new Map<string, Joined>();
  #name: string;
  #size: Size;

  /** @param name the name of the field that holds the object, or the list with it */
  constructor(name = "", size: Size = { length: 0 }) {
    this.#name = name;
    this.#size = size;
  }

  /** @returns how many characters this has grown */
  add(field: string, piece: unknown): number {
    const { length } = this.#size;
    const said = saidBy(piece);
    if (said !== undefined) this.join({ [field]: said });
    return this.#size.length - length;
  }

  /**
   * @param pieces by field, none of which says nothing
   * @param hasEnd whether they may bring all texts again, since they end them
   */
  join(pieces: JsonObject, hasEnd = false): void {
    for (const field in pieces) {
      const before = this.#fields.get(field);
      const isText = TEXT_FIELDS.has(field) || (field === "data" && this.#name === "audio");
      // The names of texts are few.
      if (before === undefined && !isText) this.#size.length += field.length + '""'.length;
      const value = joined(before, pieces[field], field, this.#size, isText, hasEnd);
      this.#fields.set(field, value);
    }
  }

  has(field: string): boolean {
    return this.#fields.has(field);
  }

  /** The labels that tell this from other elements of a list. */
  labels(): Labels {
    return labelsIn((field) => this.#fields.get(field));
  }

  write(): JsonObject {
    // Not by assignment: a field may be named `__proto__`.
    return Object.fromEntries([...this.#fields].map(([field, value]) => [field, written(value)]));
  }
}

/** A text in pieces. */
class JoinedText {
  /** Empty while all pieces are one label. */
  #text = new TextBuffer();
  /** The piece that all so far are equal to, and how often it came. */
  #label: string | undefined;
  #count = 0;

  get length(): number {
    return (this.#label ?? "").length + this.#text.length;
  }

  add(piece: string, isText: boolean): void {
    this.#label ??= isText ? "" : piece;
    if (piece === this.#label) this.#count += 1;
    else {
      this.#text.append(this.#label.repeat(this.#count) + piece);
      this.#label = "";
    }
  }

  write(): string {
    return this.#label || this.#text.toString();
  }
}

/**
 * A list. An element never joins one of the same delta. It joins the latest with its `index`, else the
 * one of its `id` and `type`, else, if it is a piece of text, the last element, if that is of its type
 * and has no `signature`. What differs in one of `index`, `id` and `type` is never joined. All others
 * are appended, but an object or string that is there already, unless it is a piece of text.
 */
class JoinedList {
  #elements: Joined[] = [];
  /** By index, by id, and by id and type. */
  #byLabel = new Map<string, JoinedFields>();
  /** By the JSON that they had when they came, or came to their end. */
  #byJson = new Map<string, Joined>();
  #name: string;
  #size: Size;

  constructor(name: string, size: Size) {
    this.#name = name;
    this.#size = size;
  }

  add(pieces: readonly unknown[], hasEnd = false): void {
    /** The elements of this delta, which are found only from the next one on; with their JSON. */
    const latest = new Map<Joined, string | undefined>();
    for (const piece of pieces) {
      const before = isObject(piece) ? this.#find(piece, latest) : undefined;
      if (isObject(piece) && before !== undefined) {
        const isEnded = !before.has("signature") && "signature" in piece;
        before.join(piece, hasEnd || isEnded);
        latest.set(before, isEnded ? jsonText(before.write()) : undefined);
        continue;
      }
      const json = jsonText(piece);
      // Numbers may repeat, and lists, and pieces of text behind another element.
      const isUnique = !isTextPiece(piece) && (isObject(piece) || typeof piece === "string");
      if (isUnique && this.#has(json)) continue;
      const element = joined(undefined, piece, this.#name, this.#size);
      this.#elements.push(element);
      this.#size.length += 1;
      latest.set(element, json);
    }
    for (const [element, json] of latest) this.#note(element, json);
  }

  write(): unknown[] {
    return this.#elements.map(written);
  }

  #has(json: string): boolean {
    const element = this.#byJson.get(json);
    // It may have changed.
    return element !== undefined && jsonText(written(element)) === json;
  }

  #find(piece: JsonObject, latest: ReadonlyMap<Joined, unknown>): JoinedFields | undefined {
    const labels = labelsIn((field) => piece[field]);
    const [index, id, type] = labels;
    const last = this.#elements[this.#elements.length - 1];
    const isOpen =
      last instanceof JoinedFields &&
      TEXT_TYPE.test(`${type}`) &&
      last.labels()[2] === type &&
      !last.has("signature");
    return [
      this.#byLabel.get(`index ${index}`),
      this.#byLabel.get(`id ${id} ${type}`),
      isOpen ? last : undefined,
    ].find(
      (element) =>
        element !== undefined &&
        !latest.has(element) &&
        // Absent differs from none.
        element.labels().every((label, n) => label === (labels[n] ?? label) || label === undefined),
    );
  }

  #note(element: Joined, json: string | undefined): void {
    if (json !== undefined) this.#byJson.set(json, element);
    if (!(element instanceof JoinedFields)) return;
    const [index, id, type] = element.labels();
    if (index !== undefined) this.#byLabel.set(`index ${index}`, element);
    if (id === undefined) return;
    this.#byLabel.set(`id ${id} ${undefined}`, element);
    this.#byLabel.set(`id ${id} ${type}`, element);
  }
}

/** @returns the value with the piece in it */
function joined(
  before: Joined | undefined,
  value: unknown,
  field: string,
  size: Size,
  isText = false,
  hasEnd = false,
): Joined {
  // Some servers send a token that is a digit as a number.
  const piece = isText && typeof value === "number" ? `${value}` : value;
  const isString = typeof piece === "string";
  if (Array.isArray(piece) || (before instanceof JoinedList && (isString || isObject(piece)))) {
    const list = before instanceof JoinedList ? before : new JoinedList(field, size);
    if (typeof before === "object" && before !== list) list.add(elementsOf(before.write()));
    list.add(elementsOf(piece), hasEnd);
    return list;
  }
  if (isObject(piece) || (before instanceof JoinedFields && isString)) {
    const fields = before instanceof JoinedFields ? before : new JoinedFields(field, size);
    if (before instanceof JoinedText) fields.join({ text: before.write() });
    fields.join(isString ? { text: piece } : piece, hasEnd);
    return fields;
  }
  if (isString && !LABEL_FIELDS.has(field)) {
    const text = before instanceof JoinedText ? before : new JoinedText();
    const { length } = text;
    if (!hasEnd || !isText || piece !== text.write()) text.add(piece, isText);
    size.length += text.length - length;
    return text;
  }
  size.length += jsonText(piece).length;
  if (before !== undefined) size.length -= jsonText(before).length;
  return piece as Label;
}

/** What stands in a list for a value that is none. */
function elementsOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return [isObject(value) ? value : { type: "text", text: value }];
}

/** Whether an element is a piece of text, and not the end of one. */
function isTextPiece(piece: unknown): boolean {
  const { type, signature } = objectOr(piece);
  return TEXT_TYPE.test(presentString(type) ?? "") && signature === undefined;
}

function labelsIn(valueOf: (field: string) => unknown): Labels {
  return ["index", "id", "type"].map((field) => indexKey(valueOf(field)));
}

function written(value: Joined): unknown {
  return typeof value === "object" ? value.write() : value;
}

/** The value without all that is `null` or empty; `undefined` if nothing is left. */
export function saidBy(value: unknown): unknown {
  return changed(value, (inner) => {
    const content = inner ?? "";
    const isEmpty =
      typeof content === "object" ? Object.keys(content).length === 0 : content === "";
    return isEmpty ? undefined : inner;
  });
}
