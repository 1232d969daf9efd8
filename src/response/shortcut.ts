import type { CallDelta, Delta, PartDelta } from "../dialects/delta.ts";
import { readJson } from "../json/json-value.ts";

/** The delta of an event of a known form. */
export type KnownDelta = CallDelta | PartDelta;

/** Reads the events of no known form. */
interface Reader {
  readonly isStateless: boolean;
  read(payload: unknown, name: string | undefined): readonly Delta[];
}

/** The form of events that differ only in one string and in the index of their call. */
interface Form {
  readonly before: string;
  /** The text between the index and the string; `""` if the index does not differ. */
  readonly between: string;
  readonly after: string;
  /** The delta of such an event, except for the string and the index. */
  readonly delta: KnownDelta;
}

/** How many forms are kept: for reasoning, for text, and for calls with and without a name. */
const MAX_FORMS = 4;

/** If forms change all the time, learning them only costs. */
const MAX_LEARNED = 16;

/** After so many events in a row of no known form, one stops looking. */
const MAX_MISSED = 256;

/** A string cut from an event keeps the event in memory: a long event is better parsed. */
const MAX_LENGTH = 4096;

/**
 * OpenAI adds this field of random length to every event; it is cut off when it is the last one. No
 * string can hold it, since its quotes would be escaped there. The rest of the event is compared.
 */
const OBFUSCATION = ',"obfuscation":"';

/** The content of a JSON string without escapes. */
// oxlint-disable-next-line no-control-regex -- control characters are what JSON forbids here
const PLAIN = /^[^"\\\u0000-\u001f]*$/;

/**
 * Reads the deltas of events that differ from an earlier one in nothing but a fragment, without
 * parsing them: a streamed response is thousands of such events.
 *
 * Exact: a form is kept only if the reader finds two other strings (and indices) in its place. That
 * place is then the inside of a string, and all content that is valid there reads alike. All other
 * events are parsed. Without this file everything works, at less speed.
 */
export class Shortcut {
  /** The form of the latest event first: the next event most often has the same. */
  #forms: Form[] = [];
  #learnedCount = 0;
  #missedCount = 0;

  /** The delta of an event of a known form. */
  read(event: string): KnownDelta | undefined {
    if (event.length > MAX_LENGTH || this.#missedCount === MAX_MISSED) return undefined;
    const text = withoutObfuscation(event);
    for (const form of this.#forms) {
      const delta = readForm(form, text);
      if (delta === undefined) continue;
      this.#missedCount = 0;
      if (form !== this.#forms[0]) {
        this.#forms = [form, ...this.#forms.filter((other) => other !== form)];
      }
      return delta;
    }
    this.#missedCount += 1;
    return undefined;
  }

  /** Remembers the form of an event that has been parsed. */
  learn(event: string, deltas: readonly Delta[], reader: Reader): void {
    const [delta] = deltas;
    // An event of a known form would say again what has changed since.
    if (deltas.some(({ type }) => type === "response")) this.#forms = [];
    if (!reader.isStateless) return;
    if (this.#learnedCount === MAX_LEARNED || event.length > MAX_LENGTH) return;
    if (delta === undefined || deltas.length > 1) return;
    if (!("fragment" in delta || "value" in delta)) return;
    const form = formOf(withoutObfuscation(event), withoutPlaces(delta));
    if (form === undefined) return;
    this.#learnedCount += 1;
    // The two places get different digits, lest one be read for the other.
    if (!isExact(form, "7", "8", reader) || !isExact(form, "8", "7", reader)) return;
    this.#forms = [form, ...this.#forms].slice(0, MAX_FORMS);
  }
}

function withoutObfuscation(event: string): string {
  // `lastIndexOf` is slow when the field is missing.
  const start = event.endsWith('"}') ? event.lastIndexOf(OBFUSCATION) : -1;
  return start !== -1 && /^\w*"\}$/.test(event.slice(start + OBFUSCATION.length))
    ? `${event.slice(0, start)}}`
    : event;
}

/** An event that is not parsed has no objects. */
function withoutPlaces<D extends Delta>(delta: D): D {
  return delta.type === "call" ? { ...delta, places: undefined } : delta;
}

function readForm({ before, between, after, delta }: Form, text: string): KnownDelta | undefined {
  const end = text.length - after.length;
  // `startsWith` looks at one character at a time; comparing slices is ten times as fast.
  if (text.slice(0, before.length) !== before || text.slice(end) !== after) return undefined;
  const middle = text.slice(before.length, end);
  const index = between === "" ? "" : /^(?:0|[1-9]\d{0,5})/.exec(middle)?.[0];
  if (index === undefined) return undefined;
  const start = index.length + between.length;
  if (middle.slice(index.length, start) !== between) return undefined;
  const content = middle.slice(start);
  const value = PLAIN.test(content) ? content : readJson(`"${content}"`);
  if (typeof value !== "string" || value === "") return undefined;
  return delta.type === "call"
    ? { ...delta, index: index || delta.index, fragment: value }
    : { ...delta, value };
}

function formOf(text: string, delta: KnownDelta): Form | undefined {
  const content = delta.type === "call" ? delta.fragment : delta.value;
  if (typeof content !== "string" || content === "") return undefined;
  const value = JSON.stringify(content);
  const start = text.lastIndexOf(value) + 1;
  if (start === 0) return undefined;
  const before = text.slice(0, start);
  const after = text.slice(start + value.length - 2);
  const index = delta.type === "call" ? delta.index : undefined;
  const place = index === undefined ? 0 : before.lastIndexOf(`:${index},`) + 1;
  if (index === undefined || place === 0) return { before, between: "", after, delta };
  const between = before.slice(place + index.length);
  return { before: before.slice(0, place), between, after, delta };
}

/** Whether the form, with these values in its places, reads as its delta with these values. */
function isExact(form: Form, index: string, content: string, reader: Reader): boolean {
  const { before, between, after } = form;
  const text = before + (between && index + between) + content + after;
  const read = reader.read(readJson(text), undefined).map(withoutPlaces);
  return JSON.stringify(read) === JSON.stringify([readForm(form, text)]);
}
