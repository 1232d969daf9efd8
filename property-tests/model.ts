/**
 * A naive assembler of a whole body, small enough to be trusted by reading. It waits for the end,
 * joins what belongs together and tries `JSON.parse` on every prefix.
 *
 * It knows only bodies in which each call has an index, and where the rules leave a case open it
 * says so.
 */
export interface ModelledCall {
  readonly providerId: string;
  readonly name: string;
  readonly arguments: string;
  readonly isComplete: boolean;
}

interface WireCall {
  readonly index: number;
  readonly id?: string;
  readonly function: { readonly name?: string; readonly arguments: string };
}

interface Bucket {
  readonly id: string;
  readonly name: string;
  readonly fragments: string[];
}

/** Thrown where the rules say nothing of what comes out. */
export class UndefinedByRules extends Error {}

export function assembledWhole(body: string): ModelledCall[] {
  const buckets = new Map<number, Bucket>();
  const reasons: string[] = [];
  let isDone = false;
  for (const event of body.split("\n\n")) {
    const data = event.slice("data: ".length);
    if (data === "[DONE]") isDone = true;
    if (data === "" || isDone) break;
    const { delta, finish_reason: reason } = JSON.parse(data).choices[0];
    if (reason) reasons.push(reason);
    for (const { index, id = "", function: part } of (delta.tool_calls ?? []) as WireCall[]) {
      const bucket = buckets.get(index) ?? { id, name: part.name ?? "", fragments: [] };
      buckets.set(index, bucket);
      if (part.arguments !== "") bucket.fragments.push(part.arguments);
    }
  }
  const isNormal = reasons.length > 0 ? reasons.every((reason) => reason === "stop") : isDone;
  return [...buckets.values()].flatMap((bucket) => callsOf(bucket, isNormal));
}

function callsOf({ id, name, fragments }: Bucket, isNormal: boolean): ModelledCall[] {
  const call = (text: string, isComplete: boolean): ModelledCall => ({
    providerId: id,
    name,
    arguments: text,
    isComplete,
  });
  const whole = fragments.join("");
  const text = withoutPlaceholders(whole);
  const end = valueEnd(text);
  if (end !== undefined && isContainer(text.slice(0, end))) {
    if (Object.keys(JSON.parse(text.slice(0, end))).length > 0) {
      const first = text.slice(0, end);
      const others = furtherObjects(text.slice(end), JSON.parse(first));
      return [first, ...others].map((json) => call(json, true));
    }
    if (text.slice(end).trim() !== "") throw new UndefinedByRules("text behind an empty value");
    return [call(text.slice(0, end), isNormal)];
  }
  if (!isNormal) return [call(text, false)];
  if (text.trim() === "") return [call("{}", true)];
  if (isJson(text)) {
    const value: unknown = JSON.parse(text);
    const isTwice = typeof value === "string" && isJson(value) && value.trim().startsWith("{");
    return [call(isTwice ? value : text, true)];
  }
  // The rule about repeated arguments asks whether a text can still become JSON: too much for here.
  if (isObject(fragments[fragments.length - 1] ?? "")) throw new UndefinedByRules("repair");
  return [call(text, false)];
}

/** A placeholder gives way to a real object behind it; another `{}` only says the same again. */
function withoutPlaceholders(whole: string): string {
  const behind = whole.replace(/^(?:\s*\{\s*\}\s*)+(?=\{)/, "");
  if (behind === whole) return whole;
  const end = valueEnd(behind);
  if (end === undefined) {
    throw new UndefinedByRules("an object behind a placeholder that never closes");
  }
  if (Object.keys(JSON.parse(behind.slice(0, end))).length > 0) return behind;
  return whole.slice(0, valueEnd(whole)) + behind.slice(end);
}

/** The objects behind the first one that differ from it and from one another. */
function furtherObjects(late: string, first: unknown): string[] {
  const seen = new Set([canonical(first)]);
  const further: string[] = [];
  let rest = late.trimStart();
  while (/^[{["]/.test(rest)) {
    const end = valueEnd(rest);
    if (end === undefined) break;
    const json = rest.slice(0, end);
    if (json.replace(/\s/g, "") === "{}") throw new UndefinedByRules("a late placeholder");
    if (json.startsWith("{") && !seen.has(canonical(JSON.parse(json)))) {
      seen.add(canonical(JSON.parse(json)));
      further.push(json);
    }
    rest = rest.slice(end).trimStart();
  }
  return further;
}

/** Where the value at the start of a text ends, if it is an object, an array or a string. */
function valueEnd(text: string): number | undefined {
  if (!/^\s*[{["]/.test(text)) return undefined;
  for (let end = 1; end <= text.length; end += 1) if (isJson(text.slice(0, end))) return end;
  return undefined;
}

function isContainer(text: string): boolean {
  return /^\s*[{[]/.test(text);
}

function isObject(text: string): boolean {
  return isJson(text) && text.trim().startsWith("{");
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) =>
    typeof member === "object" && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort())
      : member,
  );
}
