// What strict servers answer 400 to, written from what they document and from what they were seen to
// say, not from our code. Each gives the first complaint about a history, or `undefined`.

type Wire = Readonly<Record<string, unknown>>;

const NAME = /^[\w\-.:/]+$/;

class Complaint extends Error {}

function demand(condition: boolean, complaint: string): asserts condition {
  if (!condition) throw new Complaint(complaint);
}

function complaintOf(check: () => void): string | undefined {
  try {
    check();
  } catch (error) {
    if (error instanceof Complaint) return error.message;
    throw error;
  }
  return undefined;
}

const isRecord = (value: unknown): value is Wire =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const recordsIn = (value: unknown): Wire[] => (Array.isArray(value) ? value.filter(isRecord) : []);
const isText = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";

function isJsonObject(text: unknown): boolean {
  try {
    return typeof text === "string" && isRecord(JSON.parse(text));
  } catch {
    return false;
  }
}

function demandCall(id: unknown, name: unknown, ids: Set<unknown>): void {
  demand(typeof id === "string" && id !== "", "Invalid 'id': empty string"); // OpenAI
  demand(!ids.has(id), `Duplicate value for 'tool_call_id' of ${id}`); // DeepSeek, Moonshot, Anthropic
  ids.add(id);
  demand(typeof name === "string" && NAME.test(name), `Invalid 'name': ${JSON.stringify(name)}`);
}

/** Anthropic and Moonshot reject messages, and text blocks, with nothing in them. */
function demandContent(message: Wire): void {
  const { content } = message;
  if (!Array.isArray(content)) return;
  demand(content.length > 0, "Expected an array with minimum length 1"); // OpenAI
  for (const { type, text } of recordsIn(content)) {
    if (!`${type}`.endsWith("text")) continue;
    demand(isText(text), "text content blocks must be non-empty");
  }
}

/** OpenAI, DeepSeek and Moonshot, Chat Completions. */
export function chatComplaint(history: readonly unknown[]): string | undefined {
  return complaintOf(() => {
    const ids = new Set<unknown>();
    /** The calls of the latest message that have no answer yet. */
    const open = new Set<unknown>();
    const others = new Set<unknown>();
    for (const message of history.filter(isRecord)) {
      const { role, content, tool_calls: calls } = message;
      if (role === "tool") {
        const id = message["tool_call_id"];
        demand(
          open.delete(id) || others.has(id),
          "'tool' must be a response to a preceding message with 'tool_calls'",
        );
        continue;
      }
      demand(open.size === 0, "'tool_calls' must be followed by tool messages");
      demandContent(message);
      demand(calls === undefined || recordsIn(calls).length > 0, "[] is too short - 'tool_calls'");
      const fields = Object.entries(message).filter(
        ([field]) => !["role", "name", "content"].includes(field),
      );
      const isFilled = Array.isArray(content) || isText(content);
      demand(isFilled || fields.some(([, value]) => Boolean(value)), `'${role}' must not be empty`);
      for (const call of recordsIn(calls)) {
        const { id, function: body = call["custom"] } = call;
        if (!isRecord(body)) {
          others.add(id); // Of a kind that its server answers by itself, or not.
          continue;
        }
        demandCall(id, body["name"], ids);
        const isCustom = body === call["custom"];
        demand(
          isCustom || isJsonObject(body["arguments"]),
          "Can only get item pairs from a mapping",
        ); // vLLM
        open.add(id);
      }
    }
    demand(open.size === 0, "'tool_calls' must be followed by tool messages");
  });
}

/** Anthropic, Messages. */
export function messagesComplaint(history: readonly unknown[]): string | undefined {
  return complaintOf(() => {
    const ids = new Set<unknown>();
    let open = new Set<unknown>();
    for (const message of history.filter(isRecord)) {
      const { role, content } = message;
      demand(Array.isArray(content) || isText(content), "messages must have non-empty content");
      demandContent(message);
      const blocks = recordsIn(content);
      const firstOther = blocks.findIndex(({ type }) => type !== "tool_result");
      for (const [position, { type, tool_use_id: id }] of blocks.entries()) {
        if (type !== "tool_result") continue;
        demand(role === "user", "`tool_result` blocks can only be in `user` messages");
        const isFirst = firstOther < 0 || position < firstOther;
        demand(isFirst, "`tool_result` blocks must come first");
        demand(open.delete(id), "unexpected `tool_use_id` found in `tool_result` blocks");
      }
      demand(open.size === 0, "`tool_use` ids without `tool_result` blocks immediately after");
      open = new Set();
      for (const { type, id, name, input } of blocks) {
        if (type !== "tool_use") continue;
        demandCall(id, name, ids);
        demand(isRecord(input), "tool_use.input: Input should be a valid dictionary");
        open.add(id);
      }
    }
    demand(open.size === 0, "`tool_use` ids without `tool_result` blocks immediately after");
  });
}

/** OpenAI, Responses, and gateways that make a chat of it. */
export function responsesComplaint(history: readonly unknown[]): string | undefined {
  return complaintOf(() => {
    const ids = new Set<unknown>();
    /** The types of the outputs that are to come, by id. */
    const open = new Map<unknown, string>();
    let hasReference = false;
    let isBound = false;
    for (const item of history.filter(isRecord)) {
      const { type, role, call_id: id, content } = item;
      if (role !== undefined && role !== "assistant") {
        demand(open.size === 0, "No tool output found for function call");
      }
      if (role !== undefined && !isBound) {
        demand(Array.isArray(content) || isText(content), "messages must not be empty");
        demandContent(item);
      }
      isBound = type === "reasoning";
      hasReference ||= type === "item_reference";
      if (type === "function_call" || type === "custom_tool_call") {
        demandCall(id, item["name"], ids);
        const needsJson = type === "function_call";
        demand(!needsJson || isJsonObject(item["arguments"]), "Invalid 'arguments'");
        open.set(id, `${type}_output`);
      } else if (type === "function_call_output" || type === "custom_tool_call_output") {
        if (!open.has(id) && hasReference && !ids.has(id)) {
          ids.add(id); // Of a call that the server holds.
          isBound = false;
          continue;
        }
        demand(open.get(id) === type, `No tool call found for ${type} with call_id ${id}`);
        open.delete(id);
      }
    }
    demand(open.size === 0, "No tool output found for function call");
  });
}
