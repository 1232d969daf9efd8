import { isObject, type JsonObject, presentString } from "../json/object.ts";
import { jsonText } from "../json/json-value.ts";
import { TextBuffer } from "../json/text-buffer.ts";
import { indexKey, objectOr, TEXT_FIELDS, words } from "./fields.ts";

/** Strings that come whole: the last one counts. */
const LABEL_FIELDS = /* @__PURE__ */ words("role type id index format name mime_type url");

/** The types of list elements that come in pieces. */
const TEXT_TYPE = /^(?:thinking|reasoning|refusal)$|(?:text|summary)$/;

/** A value inside of more than this many is taken as it is: recursion must not exhaust the stack. */
const MAX_DEPTH = 32;

/** A value as it grows by pieces. */
type Joined = JoinedText | JoinedFields | JoinedList | Whole;

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
  /** About as many characters as its JSON has. */
  size = 0;
  #fields = new Map<string, Joined>();
  #name: string;
  #depth: number;

  /** @param name the name of the field that holds the object, or the list with it */
  constructor(name = "", depth = 0) {
    this.#name = name;
    this.#depth = depth;
  }

  /** @param hasEnd whether the piece may bring all texts again, since it ends them */
  add(field: string, piece: unknown, hasEnd = false): void {
    const before = this.#fields.get(field);
    const isText = TEXT_FIELDS.has(field) || (field === "data" && this.#name === "audio");
    if (hasEnd && isText && before instanceof JoinedText && before.equals(piece)) return;
    // The names of texts are few.
    const size = before?.size ?? (isText ? 0 : -field.length);
    const value = joined(before, piece, field, isText, this.#depth + 1, hasEnd);
    if (value === undefined) return;
    this.#fields.set(field, value);
    this.size += value.size - size;
  }

  addAll(piece: JsonObject, hasEnd = false): void {
    for (const field in piece) this.add(field, piece[field], hasEnd);
  }

  has(field: string): boolean {
    return this.#fields.has(field);
  }

  /** The value of a label. */
  label(field: string): unknown {
    const value = this.#fields.get(field);
    return value instanceof Whole ? value.write() : undefined;
  }

  write(): JsonObject {
    // Not by assignment: a field may be named `__proto__`.
    return Object.fromEntries([...this.#fields].map(([field, value]) => [field, value.write()]));
  }
}

/** A text in pieces. */
class JoinedText {
  size: number;
  #text = new TextBuffer();
  /** The piece that all so far are equal to, and how often it came again. */
  #label: string | undefined;
  #repeats = 0;

  constructor(piece: string, isText: boolean) {
    this.#text.append(piece);
    if (!isText) this.#label = piece;
    this.size = piece.length + (isText ? 0 : '""'.length);
  }

  add(piece: string): void {
    if (piece === this.#label) {
      this.#repeats += 1;
      return;
    }
    for (; this.#repeats > 0; this.#repeats -= 1) this.#append(this.#label ?? "");
    this.#label = undefined;
    this.#append(piece);
  }

  equals(text: unknown): boolean {
    // Only a text that is as long is compared: the text so far is joined for that.
    return typeof text === "string" && text.length === this.#text.length && text === this.write();
  }

  write(): string {
    return this.#text.toString();
  }

  #append(piece: string): void {
    this.#text.append(piece);
    this.size += piece.length;
  }
}

/** A value that is replaced by the next one. */
class Whole {
  readonly size: number;
  #value: unknown;

  constructor(value: unknown) {
    this.#value = value;
    this.size = jsonText(value).length;
  }

  write(): unknown {
    return this.#value;
  }
}

/**
 * A list. An element never joins one of the same delta. It joins the latest with its `index`, else the
 * one of its `id` and `type`, else, if it is a piece of text, the last element, if that is of its type
 * and has no `signature`. What differs in one of `index`, `id` and `type` is never joined. All others
 * are appended, but an object or string that is there already.
 */
class JoinedList {
  size = 0;
  #elements: Joined[] = [];
  /** By index, by id, and by id and type. */
  #byLabel = new Map<string, JoinedFields>();
  /** By their JSON: elements that came in one piece, or have come to their end. */
  #whole = new Map<string, Joined>();
  /** The elements that have changed since their JSON was noted. */
  #changed = new Set<Joined>();
  #name: string;
  #depth: number;

  constructor(name: string, depth: number) {
    this.#name = name;
    this.#depth = depth;
  }

  add(pieces: readonly unknown[], hasEnd = false): void {
    /** The elements of this delta, which are found only from the next one on; with their JSON. */
    const latest = new Map<Joined, string | undefined>();
    for (const piece of pieces) {
      const fields = objectOr(piece);
      const before = this.#find(fields, latest);
      if (before !== undefined) {
        const { size } = before;
        const isEnded = !before.has("signature") && Boolean(fields["signature"]);
        before.addAll(fields, hasEnd || isEnded);
        this.size += before.size - size;
        this.#changed.add(before);
        latest.set(before, isEnded ? jsonText(before.write()) : undefined);
        continue;
      }
      const element = joined(undefined, piece, this.#name, false, this.#depth + 1, false);
      if (element === undefined) continue;
      const json = jsonText(element.write());
      const same = this.#whole.get(json);
      const isThere = same !== undefined && !this.#changed.has(same);
      // Numbers may repeat, and lists.
      if (isThere && !(same instanceof Whole || same instanceof JoinedList)) continue;
      this.append(element);
      latest.set(element, json);
    }
    for (const [element, json] of latest) this.#note(element, json);
  }

  append(element: Joined): void {
    this.#elements.push(element);
    this.size += element.size + 1;
  }

  write(): unknown[] {
    return this.#elements.map((element) => element.write());
  }

  #find(piece: JsonObject, latest: ReadonlyMap<Joined, unknown>): JoinedFields | undefined {
    const type = `${presentString(piece["type"])}`;
    const last = this.#elements[this.#elements.length - 1];
    const isOpen =
      last instanceof JoinedFields &&
      TEXT_TYPE.test(type) &&
      last.label("type") === type &&
      !last.has("signature");
    return [
      this.#byLabel.get(labelKey("index", piece["index"])),
      this.#byLabel.get(labelKey("id", piece["id"], piece["type"])),
      isOpen ? last : undefined,
    ].find(
      (element) =>
        element !== undefined &&
        !latest.has(element) &&
        ["index", "id", "type"].every((field) => {
          const [one, other] = [indexKey(element.label(field)), indexKey(piece[field])];
          // Absent differs from none.
          return one === undefined || other === undefined || one === other;
        }),
    );
  }

  #note(element: Joined, json: string | undefined): void {
    if (json !== undefined) {
      this.#whole.set(json, element);
      this.#changed.delete(element);
    }
    if (!(element instanceof JoinedFields)) return;
    const [index, id, type] = ["index", "id", "type"].map((field) => element.label(field));
    for (const key of [labelKey("index", index), labelKey("id", id), labelKey("id", id, type)]) {
      if (key !== "") this.#byLabel.set(key, element);
    }
  }
}

/** @returns the value with the piece in it */
function joined(
  before: Joined | undefined,
  piece: unknown,
  field: string,
  isText: boolean,
  depth: number,
  hasEnd: boolean,
): Joined | undefined {
  if (saysNothing(piece, depth)) return before;
  if (depth > MAX_DEPTH) return new Whole(piece);
  if (typeof piece === "string" || (isText && typeof piece === "number")) {
    const text = `${piece}`;
    if (before instanceof JoinedList) before.add([{ type: "text", text }]);
    else if (before instanceof JoinedFields) before.add("text", text);
    else if (before instanceof JoinedText) before.add(text);
    else return LABEL_FIELDS.has(field) ? new Whole(text) : new JoinedText(text, isText);
    return before;
  }
  if (Array.isArray(piece) || (before instanceof JoinedList && isObject(piece))) {
    const list = before instanceof JoinedList ? before : new JoinedList(field, depth);
    if (before instanceof JoinedText) list.add([{ type: "text", text: before.write() }]);
    else if (before instanceof JoinedFields) list.append(before);
    list.add(Array.isArray(piece) ? piece : [piece], hasEnd);
    return list;
  }
  if (!isObject(piece)) return new Whole(piece);
  const fields = before instanceof JoinedFields ? before : new JoinedFields(field, depth);
  if (before instanceof JoinedText) fields.add("text", before.write());
  fields.addAll(piece, hasEnd);
  return fields;
}

/** Whether the value is `null`, empty, or holds nothing else. */
function saysNothing(value: unknown, depth: number): boolean {
  if (value === null || value === undefined || value === "") return true;
  if (typeof value !== "object" || depth > MAX_DEPTH) return false;
  return Object.values(value).every((inner) => saysNothing(inner, depth + 1));
}

/** Of an index, or of an id with a type; `""` if there is none. */
function labelKey(field: string, label: unknown, type?: unknown): string {
  const key = indexKey(label);
  return key === undefined ? "" : JSON.stringify([field, key, indexKey(type)]);
}
