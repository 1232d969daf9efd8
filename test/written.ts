import type { ChatEvent, Completion } from "../src/index.ts";

/** Everything that was shown as reasoning. */
export function reasoningOf(events: readonly ChatEvent[]): string {
  return events.map((event) => (event.type === "reasoning" ? event.text : "")).join("");
}

/** The message as fixtures have it: `$0` is the id of the first call, and a call of chat is a line. */
export function written({ message, toolCalls, dialect }: Completion): unknown {
  const inOrder = toolCalls.filter(({ choice }) => choice === 0);
  const names = new Map(
    inOrder.sort((a, b) => a.index - b.index).map(({ id }, number) => [id, `$${number}`]),
  );
  const plain: unknown = JSON.parse(
    JSON.stringify(message, (_key, value: unknown) =>
      typeof value === "string" ? (names.get(value) ?? value) : value,
    ),
  );
  if (dialect !== "chat") return plain;
  const { tool_calls: calls = [], ...rest } = plain as {
    tool_calls?: { function: { name: string; arguments: string } }[];
  };
  const lines = calls.map(({ function: call }) => `${call.name} ${call.arguments}`);
  return lines.length === 0 ? rest : { ...rest, tool_calls: lines };
}
