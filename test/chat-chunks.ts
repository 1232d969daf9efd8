import {
  type ChatEvent,
  type Completion,
  type ToolCall,
  ToolCallAssembler,
  type ToolCallAssemblerOptions,
} from "../src/index.ts";

/** A chunk of choice 0 with this delta. */
export const chunk = (delta: unknown, rest: object = {}): object => ({
  choices: [{ index: 0, delta, ...rest }],
});

/** A chunk with these entries of `tool_calls`. */
export const calls = (...entries: object[]): object => chunk({ tool_calls: entries });

/** An entry of `tool_calls`; what is `undefined` is left out. */
export function entry(
  index: unknown,
  id: unknown,
  name: unknown,
  text?: unknown,
  rest: object = {},
): object {
  return JSON.parse(
    JSON.stringify({ index, id, type: "function", function: { name, arguments: text }, ...rest }),
  );
}

export const finish = (reason: string): object => chunk({}, { finish_reason: reason });

export interface Assembled {
  readonly events: ChatEvent[];
  readonly calls: ToolCall[];
  readonly completion: Completion;
  readonly error: unknown;
}

/** All that comes of the chunks. */
export function assemble(chunks: unknown[], options: ToolCallAssemblerOptions = {}): Assembled {
  const assembler = new ToolCallAssembler(options);
  const events = chunks.flatMap((each) => assembler.push(each));
  events.push(...assembler.end());
  return {
    events,
    calls: events.flatMap((event) => (event.type === "tool-call" ? [event.call] : [])),
    completion: assembler.snapshot(),
    error: events.flatMap((event) => (event.type === "error" ? [event.error] : []))[0],
  };
}

/** What matters of calls, short: name, arguments, and `complete` or why not. */
export function brief(list: readonly ToolCall[]): string[] {
  return list.map((call) => `${call.name} ${call.arguments} ${call.error?.code ?? call.status}`);
}
