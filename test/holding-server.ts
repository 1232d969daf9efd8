/** A message or an item of a history. */
type Item = Readonly<Record<string, any>>;

/** One call of the model, and the text that its result has to have. */
interface Turn {
  readonly callId: string;
}

/** What a server that holds histories answers. */
export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
}

const JSON_TYPE = "application/json";

/**
 * A server that keeps what it has answered, as OpenAI's Responses and Anthropic's threads do, and takes
 * requests that bring only what is new. It numbers its calls, and answers 400 as OpenAI does to a result
 * whose call it does not know, and to a history in which a call has no result.
 */
export class HoldingServer {
  /** By the id of a response or of a conversation: all that goes before what comes next. */
  #histories = new Map<string, readonly Item[]>();
  #items = new Map<string, Item>();
  #streams = new Map<string, string>();
  #turns: Turn[];
  #count = 0;
  /** The last history that was accepted, as the server sees it. */
  history: readonly Item[] = [];

  /** @param callIds the ids of its calls, one a turn; then it answers with text */
  constructor(callIds: readonly string[]) {
    this.#turns = callIds.map((callId) => ({ callId }));
  }

  answer(method: string, path: string, text: string): Answer {
    const stream = this.#streams.get(/^\/v1\/responses\/(\w+)/.exec(path)?.[1] ?? "");
    if (method === "GET" && stream !== undefined) return ok(stream, "text/event-stream");
    if (method !== "POST") return refuse(`There is no ${path}`);
    const body = JSON.parse(text) as Item;
    const conversation = /^\/v1\/conversations\/(\w+)\/items$/.exec(path)?.[1];
    if (conversation !== undefined) return this.#addItems(conversation, body["items"]);
    return path.endsWith("/messages") ? this.#answerMessages(body) : this.#answerResponses(body);
  }

  #addItems(conversation: string, items: readonly Item[]): Answer {
    const history = [...(this.#histories.get(conversation) ?? []), ...items];
    const fault = faultOf(history);
    if (fault !== undefined) return refuse(fault);
    this.#histories.set(conversation, history);
    return ok(JSON.stringify({ object: "list", data: items }), JSON_TYPE);
  }

  #answerResponses(body: Item): Answer {
    const { conversation, input, previous_response_id: previous } = body;
    const key = previous ?? conversation?.id ?? conversation;
    const before = this.#histories.get(key) ?? [];
    const given: Item[] = typeof input === "string" ? [{ role: "user", content: input }] : input;
    const history: Item[] = [...before];
    for (const item of given) {
      const known = item["type"] === "item_reference" ? this.#items.get(item["id"]) : item;
      if (known === undefined) return refuse(`Item with id '${item["id"]}' not found.`);
      history.push(known);
    }
    const fault = faultOf(history);
    if (fault !== undefined) return refuse(fault);
    this.history = history;
    const { id, item } = this.#nextItem();
    if (body["store"] !== false) {
      this.#items.set(item["id"], item);
      for (const held of [id, conversation?.id ?? conversation]) {
        if (held !== undefined) this.#histories.set(held, [...history, item]);
      }
    }
    const response = { id, object: "response", status: "completed", output: [item] };
    if (body["stream"] !== true) return ok(JSON.stringify(response), JSON_TYPE);
    const events = [
      { type: "response.created", response: { ...response, status: "in_progress", output: [] } },
      { type: "response.output_item.added", output_index: 0, item: { ...item, arguments: "" } },
      { type: "response.output_item.done", output_index: 0, item },
      { type: "response.completed", response },
    ];
    const stream = events
      .map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
      .join("");
    if (body["background"] !== true) return ok(stream, "text/event-stream");
    this.#streams.set(id, stream);
    return ok(JSON.stringify({ ...response, status: "queued", output: [] }), JSON_TYPE);
  }

  #nextItem(): { id: string; item: Item } {
    this.#count += 1;
    const turn = this.#turns.shift();
    const id = `resp_${this.#count}`;
    if (turn === undefined) {
      const content = [{ type: "output_text", text: "Done." }];
      return {
        id,
        item: { type: "message", id: `msg_${this.#count}`, role: "assistant", content },
      };
    }
    const call = { type: "function_call", id: `fc_${this.#count}`, name: "f", arguments: "{}" };
    return { id, item: { ...call, call_id: turn.callId } };
  }

  #answerMessages(body: Item): Answer {
    const before = this.#histories.get(body["thread"]?.previous_message_id) ?? [];
    const history = [...before, ...body["messages"]];
    const fault = faultOf(history.flatMap(itemsOf));
    if (fault !== undefined) return refuse(fault);
    this.history = history;
    this.#count += 1;
    const id = `msg_${this.#count}`;
    const turn = this.#turns.shift();
    const block =
      turn === undefined
        ? { type: "text", text: "Done." }
        : { type: "tool_use", id: turn.callId, name: "f", input: {} };
    const message = { id, type: "message", role: "assistant", content: [block] };
    this.#histories.set(id, [...history, message]);
    return ok(JSON.stringify(message), JSON_TYPE);
  }
}

function itemsOf({ content }: Item): Item[] {
  return (Array.isArray(content) ? content : []).flatMap(
    ({ type, id, tool_use_id: useId }: Item) => {
      if (type === "tool_use") return [{ type: "function_call", call_id: id }];
      return type === "tool_result" ? [{ type: "function_call_output", call_id: useId }] : [];
    },
  );
}

/** What OpenAI says about a history whose calls and results are no pairs. */
function faultOf(history: readonly Item[]): string | undefined {
  const open: string[] = [];
  for (const { type, call_id: callId } of history) {
    if (type === "function_call") open.push(callId);
    else if (type === "function_call_output") {
      const place = open.indexOf(callId);
      if (place === -1)
        return `No tool call found for function call output with call_id ${callId}.`;
      open.splice(place, 1);
    }
  }
  return open.length > 0 ? `No tool output found for function call ${open[0]}.` : undefined;
}

function ok(body: string, contentType: string): Answer {
  return { status: 200, contentType, body };
}

function refuse(message: string): Answer {
  const error = { type: "invalid_request_error", message };
  return { status: 400, contentType: JSON_TYPE, body: JSON.stringify({ error }) };
}
