import { readEvents, sse } from "../../bodies.ts";
import { brief } from "../../chat-chunks.ts";

export type Fields = Readonly<Record<string, unknown>>;

export const event = (type: string, fields: Fields = {}): Fields => ({
  type: `response.${type}`,
  ...fields,
});
export const called = (
  id: string,
  name: string | null,
  text: string,
  fields: Fields = {},
): Fields => ({
  type: "function_call",
  id: `fc_${id}`,
  call_id: `call_${id}`,
  name,
  arguments: text,
  ...fields,
});
export const added = (item: Fields, index?: number): Fields =>
  event("output_item.added", { output_index: index, item });
export const done = (item: Fields, index?: number): Fields =>
  event("output_item.done", { output_index: index, item });
export const fragment = (delta: unknown, itemId?: string, index?: number): Fields =>
  event("function_call_arguments.delta", { item_id: itemId, output_index: index, delta });
export const ended = (text: unknown, fields: Fields = {}): Fields =>
  event("function_call_arguments.done", { arguments: text, ...fields });
export const completed = (...output: Fields[]): Fields =>
  event("completed", { response: { status: "completed", output } });

export const message = (text: string, fields: Fields = {}): Fields => ({
  type: "message",
  id: "msg_1",
  status: "completed",
  role: "assistant",
  content: [{ type: "output_text", text, annotations: [] }],
  ...fields,
});
const { id: _id, ...written } = message("Hi there");
/** That message as a history has it. */
export { written };

/** What a body of these events gives. */
export async function read(...events: Fields[]) {
  const { events: found, error, completion } = await readEvents([sse(...events)]);
  const calls = found.flatMap((each) => (each.type === "tool-call" ? [each.call] : []));
  return {
    calls,
    brief: brief([...calls].sort((a, b) => a.index - b.index)),
    ids: calls.map(({ providerId }) => providerId),
    text: found.map((each) => (each.type === "text" ? each.text : "")).join(""),
    reasoning: found.map((each) => (each.type === "reasoning" ? each.text : "")).join(""),
    message: completion.dialect === "responses" ? completion.message : undefined,
    diagnostics: completion.diagnostics.map(({ code, severity }) => `${code} ${severity}`),
    finishReason: completion.finishReason,
    usage: completion.usage,
    error: error as { code?: string; provider?: object } | undefined,
  };
}
