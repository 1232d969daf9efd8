import { describe, expect, test } from "vitest";
import {
  type ChatAssistantMessage,
  type ChatToolMessage,
  findPairingFaults,
  toolResult,
  turnMessages,
} from "../src/index.ts";
import { readEvents } from "./bodies.ts";
import { fixtureBytes, fixtureNames } from "./fixtures.ts";

/** A message or an item of a history, in any dialect. */
type Message = Readonly<Record<string, any>>;

interface Rule {
  readonly server: string;
  readonly rejects: string;
  readonly isBroken: (history: readonly Message[]) => boolean;
  /** What the server was seen to reject. */
  readonly example: readonly Message[];
}

const user: Message = { role: "user", content: "Hi" };

function asks(...ids: string[]): ChatAssistantMessage & Message {
  const body = { name: "f", arguments: "{}" };
  const calls = ids.map((id) => ({ id, type: "function", function: body }) as const);
  return { role: "assistant", content: null, tool_calls: calls };
}

const answers = (id: string): ChatToolMessage & Message => ({
  role: "tool",
  tool_call_id: id,
  name: "f",
  content: "",
});

/** A call in a history, whatever its dialect; the arguments as text. */
interface Call {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

function callsIn({ type, call_id: id, name, ...message }: Message): Call[] {
  if (type === "function_call") return [{ id, name, arguments: message["arguments"] }];
  if (type === "custom_tool_call") return [{ id, name, arguments: "{}" }];
  const { tool_calls: calls = [], content } = message;
  const blocks: Message[] = Array.isArray(content) ? content : [];
  return [
    ...calls.map((call: Message) => {
      const body = call["function"] ?? call["custom"];
      return { id: call["id"], name: body.name, arguments: body.arguments ?? "{}" };
    }),
    ...blocks
      .filter((block) => block["type"] === "tool_use")
      .map((block) => {
        const { id: blockId, name: tool, input } = block;
        return { id: blockId, name: tool, arguments: JSON.stringify(input) };
      }),
  ];
}

const messagesOf = (history: readonly Message[]): Message[] =>
  history.filter(({ role }) => role === "assistant");
const callsOf = (history: readonly Message[]): Call[] => history.flatMap(callsIn);
const idsOf = (history: readonly Message[]): string[] => callsOf(history).map(({ id }) => id);
const hasFault = (history: readonly Message[], code: string): boolean =>
  findPairingFaults(history).some((fault) => fault.code === code);

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** What strict servers reject, each with a history that the rule catches. */
const RULES: readonly Rule[] = [
  {
    server: "DeepSeek, Moonshot, MiniMax, Anthropic",
    rejects: "an id that an earlier call has",
    isBroken: (history) => new Set(idsOf(history)).size < idsOf(history).length,
    example: [user, asks("f:0"), answers("f:0"), asks("f:0"), answers("f:0")],
  },
  {
    server: "OpenAI",
    rejects: "an id of more than 40 characters",
    isBroken: (history) => idsOf(history).some((id) => id.length > 40),
    example: [user, asks(`chatcmpl-tool-${"0".repeat(32)}`)],
  },
  {
    server: "OpenAI, Anthropic",
    rejects: "an empty id",
    isBroken: (history) => idsOf(history).includes(""),
    example: [user, asks(""), answers("")],
  },
  {
    server: "Anthropic, Bedrock",
    rejects: "an id with other characters than letters, digits, _ and -",
    isBroken: (history) => idsOf(history).some((id) => /[^a-zA-Z0-9_-]/.test(id)),
    example: [user, asks("functions.f:0"), answers("functions.f:0")],
  },
  {
    server: "DeepSeek",
    rejects: "an empty list of calls",
    isBroken: (history) =>
      messagesOf(history).some(
        ({ tool_calls: calls }) => calls !== undefined && calls.length === 0,
      ),
    example: [user, { role: "assistant", content: "Hi", tool_calls: [] }],
  },
  {
    server: "vLLM, SGLang, Mistral",
    rejects: "arguments that are not JSON",
    isBroken: (history) => callsOf(history).some((call) => !isJson(call.arguments)),
    example: [
      user,
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "a", type: "function", function: { name: "f", arguments: '{"a":' } }],
      },
      answers("a"),
    ],
  },
  {
    server: "OpenAI, Mistral",
    rejects: "a call without a name",
    isBroken: (history) => callsOf(history).some(({ name }) => name === ""),
    example: [
      user,
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "a", type: "function", function: { name: "", arguments: "{}" } }],
      },
      answers("a"),
    ],
  },
  {
    server: "OpenAI, DeepSeek, Moonshot, Anthropic",
    rejects: "a call without a result",
    isBroken: (history) => hasFault(history, "missing-result"),
    example: [user, asks("a", "b"), answers("a")],
  },
  {
    server: "OpenAI, DeepSeek, Moonshot, Anthropic",
    rejects: "a result without a call",
    isBroken: (history) => hasFault(history, "orphan-result"),
    example: [user, asks("a"), answers("a"), answers("a")],
  },
  {
    server: "OpenAI, Anthropic",
    rejects: "a result behind another message",
    isBroken: (history) => hasFault(history, "misplaced-result"),
    example: [asks("a"), user, answers("a")],
  },
  {
    server: "OpenAI, Anthropic",
    rejects: "an assistant message without anything in it",
    isBroken: (history) =>
      messagesOf(history).some(
        (message) =>
          callsIn(message).length === 0 &&
          Object.entries(message).every(
            ([field, value]) => field === "role" || value?.length === 0,
          ),
      ),
    example: [user, { role: "assistant", content: "" }],
  },
  {
    server: "Anthropic",
    rejects: "an error without content",
    isBroken: (history) =>
      history.some(
        ({ content }) =>
          Array.isArray(content) &&
          content.some((block) => block.is_error === true && block.content === ""),
      ),
    example: [
      { role: "assistant", content: [{ type: "tool_use", id: "a", name: "f", input: {} }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "a", content: "", is_error: true }],
      },
    ],
  },
];

/** The history of a loop whose server gives the same response in two turns. */
async function historyOf(bytes: Uint8Array) {
  const history: Message[] = [user];
  let reasoning = "";
  for (let turn = 0; turn < 2; turn += 1) {
    const { events, completion } = await readEvents([bytes]);
    const results = completion.toolCalls.map((call) => toolResult(call, call.error));
    const appended = turnMessages(completion, results);
    // A response without calls ends the loop, until the user asks again.
    history.push(...appended, ...(callsOf(appended).length === 0 ? [user] : []));
    reasoning = events
      .flatMap((event) => (event.type === "reasoning" && event.choice === 0 ? [event.text] : []))
      .join("");
  }
  return { history, reasoning };
}

/** The fixtures of chat whose choice 0 has no call. */
const WITHOUT_CALLS: ReadonlySet<string> = new Set([
  "107-images-one-per-delta.sse",
  "114-success-envelope.sse",
  "36-finish-tool-calls-without-calls.sse",
  "57-event-error.sse",
  "85-error-as-field-name.sse",
  "96-html-error-page.sse",
  "97-json-error-array-body.sse",
  "107-images-one-per-delta.sse",
  "114-success-envelope.sse",
]);

const FIXTURES = ["corpus", "corpus-dialects"].flatMap((folder) =>
  fixtureNames(folder, ".sse").map((file) => `${folder}/${file}`),
);

/** All text in a value, whatever it is called. */
function textIn(value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value !== "object" || value === null) return "";
  return Object.entries(value)
    .map(([field, inner]) => (["type", "signature"].includes(field) ? "" : textIn(inner)))
    .join("");
}

describe.each(RULES)("$server rejects $rejects", ({ isBroken, example }) => {
  test("and the rule knows it", () => {
    expect(isBroken(example)).toBe(true);
  });

  test.each(FIXTURES)("which the history of %s has not", async (file) => {
    const { history } = await historyOf(fixtureBytes(file));
    expect(isBroken(history)).toBe(false);
  });
});

test.each(fixtureNames("corpus", ".sse"))(
  "Moonshot rejects calls without the reasoning before them, which the history of %s has",
  async (file) => {
    const { history, reasoning } = await historyOf(fixtureBytes(`corpus/${file}`));
    const withCalls = history.filter((message) => callsIn(message).length > 0);
    expect(withCalls).toHaveLength(WITHOUT_CALLS.has(file) ? 0 : 2);
    for (const message of withCalls) {
      const { reasoning_content: first = "", reasoning: second = "" } = message;
      const others = [textIn(message["reasoning_text"]), textIn(message["content"])];
      // One server changes from the one field to the other. Others have it in a form of their own.
      const told = [textIn(first), textIn(second), textIn(first) + textIn(second), ...others];
      expect(told.some((text) => text.startsWith(reasoning))).toBe(true);
    }
  },
);
