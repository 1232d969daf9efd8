import { argumentsQuirkOf, type Quirks } from "./quirks.ts";
import { isEager, type ModelCall } from "./turns.ts";

/** Cut into pieces of these lengths, cyclically; no lengths: one piece. */
export function pieces(text: string, lengths: readonly number[]): string[] {
  if (text === "") return [];
  if (lengths.length === 0) return [text];
  const result: string[] = [];
  let start = 0;
  for (let count = 0; start < text.length; count += 1) {
    const end = start + (lengths[count % lengths.length] as number);
    result.push(text.slice(start, end));
    start = end;
  }
  return result;
}

/** Whether only the end of the response tells what the arguments are. */
export function isHeld(call: ModelCall, quirks: Quirks): boolean {
  return !isEager(call) || ["encoded-twice", "snapshots"].includes(argumentsQuirkOf(call, quirks));
}

/** The arguments as the server sends them, up to their end. */
export function fragmentsOf(call: ModelCall, quirks: Quirks): unknown[] {
  const { text } = call;
  switch (argumentsQuirkOf(call, quirks)) {
    case "object":
      return [call.value];
    case "placeholder":
      return ["{}", ...pieces(text, quirks.fragments)];
    case "encoded-twice":
      return pieces(JSON.stringify(text), quirks.fragments);
    case "snapshots": {
      // Cut inside of the first key.
      const ends = [3, ...quirks.fragments.map((length) => 3 + length)].sort((a, b) => a - b);
      return [...ends.filter((end) => end < text.length), text.length].map((end) =>
        text.slice(0, end),
      );
    }
    default:
      return pieces(text, quirks.fragments);
  }
}

const JUNK = ["<|tool_call_end|>", "</tool_call>", "}", "```", "<|im_end|>{"];

/** What the server sends behind the arguments. */
export function tailOf(call: ModelCall, quirks: Quirks): string {
  switch (argumentsQuirkOf(call, quirks)) {
    case "repeated":
      return call.text;
    case "repeated-as-text":
      return JSON.stringify(call.text);
    case "junk":
      return JUNK[call.text.length % JUNK.length] as string;
    case "blank":
      return " \r\n\t";
    default:
      return "";
  }
}

/** All of the arguments as they were sent, up to their end. */
export function rawText(call: ModelCall, quirks: Quirks): string {
  return argumentsQuirkOf(call, quirks) === "object"
    ? call.text
    : fragmentsOf(call, quirks).join("");
}

/** The fragments, and what the server sends behind them: in pieces, or in the last of them. */
export function inputsOf(call: ModelCall, quirks: Quirks): unknown[] {
  const fragments = fragmentsOf(call, quirks);
  const tail = tailOf(call, quirks);
  if (quirks.fragments.length > 0) return [...fragments, ...pieces(tail, quirks.fragments)];
  const last = fragments.pop();
  return last === undefined ? [] : [...fragments, tail === "" ? last : `${last}${tail}`];
}
