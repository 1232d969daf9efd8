// What compilers know of a call, an event and a completion, and when; and which bodies they let through.
// `npm run typecheck` reads this with our compiler, `npm run check:package` as users do with theirs.

import {
  ChatEventStream,
  collect,
  type ChatEvent,
  type ChatAssistantMessage,
  type ChatToolMessage,
  type Completion,
  type Diagnostic,
  type Dialect,
  type MessagesAssistantMessage,
  type JsonObject,
  type MessagesToolResult,
  type MessagesUserMessage,
  type ResponsesItem,
  type ResponsesToolOutput,
  type ToolCall,
  ToolCallAssembler,
  ToolCallStream,
  ToolCallStreamError,
  type ToolCallStreamErrorCode,
  toolResult,
  type ToolResults,
  type TurnMessages,
  turnMessages,
} from "toolcall-stream";

/** Compiles where both types are the same, and nowhere else. */
type Same<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : never;
function expectSame<A, B>(_isSame: Same<A, B>): void {}

interface City {
  city: string;
}
const parseCity = (text: string): City => {
  const { city } = JSON.parse(text);
  if (typeof city !== "string") throw new TypeError("Expected a city");
  return { city };
};

// `Input` is what `parseArguments` returns, and `unknown` without it.
const typed = new ToolCallStream({ parseArguments: parseCity });
expectSame<typeof typed, ToolCallStream<City>>(true);
const untyped = new ToolCallStream();
expectSame<typeof untyped, ToolCallStream<unknown>>(true);
const events = new ChatEventStream({ parseArguments: (text, { name }) => ({ text, name }) });
expectSame<typeof events, ChatEventStream<{ text: string; name: string }>>(true);
const assembler = new ToolCallAssembler({ parseArguments: parseCity, eager: false });
expectSame<ReturnType<typeof assembler.push>, ChatEvent<City>[]>(true);

export async function streamsCarryInput(body: ReadableStream<Uint8Array>): Promise<void> {
  for await (const call of body.pipeThrough(typed)) expectSame<typeof call, ToolCall<City>>(true);
  const completion = await typed.completion;
  expectSame<typeof completion, Completion<City>>(true);
  const snapshot = typed.snapshot();
  expectSame<typeof snapshot, Completion<City>>(true);
}

export function narrowedByStatus(call: ToolCall<City>): string {
  if (call.status === "incomplete") {
    expectSame<typeof call.input, undefined>(true);
    return `${call.error.code}: ${call.error.message}`;
  }
  expectSame<typeof call.error, undefined>(true);
  if (call.type === "custom") {
    expectSame<typeof call.input, string>(true);
    return call.input;
  }
  expectSame<typeof call.input, City>(true);
  return call.input.city;
}

export function narrowedByError(call: ToolCall<City>): string {
  return call.error ? call.error.message : call.type === "custom" ? call.input : call.input.city;
}

/** Without a default: another kind of event must not compile. */
export function narrowedByType(event: ChatEvent<City>): string | Diagnostic {
  switch (event.type) {
    case "text":
    case "reasoning":
      return event.text;
    case "tool-call-start":
      return event.name;
    case "tool-call-delta":
      return event.fragment;
    case "tool-call":
      return narrowedByStatus(event.call);
    case "finish":
      return event.reason;
    case "usage":
      return JSON.stringify(event.usage);
    case "diagnostic":
      return event.diagnostic;
    case "error":
      return event.error.message;
  }
}

export function narrowedByDialect(completion: Completion<City>): string {
  switch (completion.dialect) {
    case "chat":
      return completion.message?.content ?? "";
    case "messages":
      return (completion.message?.content ?? []).map(({ type }) => type).join();
    case "responses":
      return (completion.message ?? []).map(({ type }) => type).join();
    case undefined:
      expectSame<typeof completion.message, undefined>(true);
      return "";
  }
}

/** What the server said of the response has the fields of its dialect, and may have others. */
export function responseByDialect(completion: Completion<City>): string | number | undefined {
  expectSame<typeof completion.response.id, string | undefined>(true);
  expectSame<typeof completion.response.model, string | undefined>(true);
  const fields: JsonObject = completion.response;
  expectSame<(typeof fields)["other"], unknown>(true);
  switch (completion.dialect) {
    case "chat": {
      const { created, system_fingerprint: build, service_tier: tier } = completion.response;
      return created ?? build ?? tier;
    }
    case "messages": {
      const { container, stop_sequence: stop, stop_details: details } = completion.response;
      const { context_management: edits, service_tier: tier } = completion.response;
      expectSame<NonNullable<typeof edits>["applied_edits"], readonly JsonObject[] | undefined>(
        true,
      );
      return container?.id ?? container?.expires_at ?? stop ?? details?.type ?? tier;
    }
    case "responses": {
      const { created_at: created, status, incomplete_details: details } = completion.response;
      const { conversation, previous_response_id: previous } = completion.response;
      const { service_tier: tier, sequence_number: number } = completion.response;
      return created ?? status ?? details?.reason ?? conversation?.id ?? previous ?? tier ?? number;
    }
    case undefined:
      expectSame<(typeof completion.response)["container"], unknown>(true);
      return completion.response.id;
  }
}

export function readonlyResponse(completion: Completion<City>): void {
  // @ts-expect-error
  completion.response.id = "another";
}

/** The same of an error's code. */
export function narrowedByCode(code: ToolCallStreamErrorCode): string {
  switch (code) {
    case "provider-error":
    case "not-an-event-stream":
    case "truncated-response":
    case "limit-exceeded":
    case "cancelled":
      return code;
  }
}

export function errorFields(error: unknown): string | number | undefined {
  if (!(error instanceof ToolCallStreamError)) throw error;
  return error.provider?.code ?? error.limit?.value ?? error.event ?? error.excerpt;
}

// A call of any input can be answered, and nothing of it be changed.
export function answer(call: ToolCall<City>): void {
  const message = toolResult(call, { rise: "06:00" });
  expectSame<typeof message, ChatToolMessage | MessagesToolResult | ResponsesToolOutput>(true);
  // @ts-expect-error
  call.id = "another";
}

// What goes back has the type of its dialect, if that is known.
export function append(
  completion: Completion<City>,
  results: readonly ToolResults[Dialect][],
): void {
  const turn = turnMessages(completion, results);
  expectSame<typeof turn, TurnMessages[Dialect] | never[]>(true);
  if (completion.dialect === "chat") {
    const messages = turnMessages(completion, results);
    expectSame<typeof messages, (ChatAssistantMessage | ChatToolMessage)[]>(true);
  } else if (completion.dialect === "messages") {
    const messages = turnMessages(completion, results);
    expectSame<typeof messages, (MessagesAssistantMessage | MessagesUserMessage)[]>(true);
  } else if (completion.dialect === "responses") {
    const items = turnMessages(completion, results);
    expectSame<typeof items, (ResponsesItem | ResponsesToolOutput)[]>(true);
  } else {
    expectSame<typeof completion.dialect, undefined>(true);
    const nothing = turnMessages(completion, results);
    expectSame<typeof nothing, never[]>(true);
  }
}
export function answerChat(call: ToolCall<City> & { dialect: "chat" }): ChatToolMessage {
  return toolResult(call, new Error("No such city"), { isError: true });
}

// What JavaScript users pass by mistake does not compile.
export const mistakes = [
  // @ts-expect-error
  (): unknown => new ToolCallStream({ maxToolCalls: "10" }),
  // @ts-expect-error
  (): unknown => new ToolCallStream({ eagre: false }),
  // @ts-expect-error
  (): unknown => new ToolCallAssembler({ maxEventLength: 10 }),
  // @ts-expect-error
  (): unknown => toolResult({ id: "call_1" }, "done"),
];

/** With `exactOptionalPropertyTypes`, options may still be passed through. */
export function passedThrough(maxToolCalls?: number): ToolCallStream {
  return new ToolCallStream({ maxToolCalls, eager: undefined });
}

// The bodies that people have are piped in without a cast.

export async function fetched(url: string): Promise<string[]> {
  const response = await fetch(url);
  if (!response.body) throw new Error("No body");
  const ids: string[] = [];
  for await (const call of response.body.pipeThrough(new ToolCallStream())) ids.push(call.id);
  return ids;
}

export async function read(body: ReadableStream<Uint8Array>): Promise<string[]> {
  const types: string[] = [];
  for await (const event of body.pipeThrough(new ChatEventStream())) types.push(event.type);
  return types;
}

export async function readText(body: ReadableStream<string>): Promise<string[]> {
  const names: string[] = [];
  const reader = body.pipeThrough(new ToolCallStream()).getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return names;
    names.push(value.name);
  }
}

export async function readEither(body: ReadableStream<Uint8Array | string>): Promise<void> {
  for await (const { id } of body.pipeThrough(new ToolCallStream())) console.log(id);
}

export async function collectEach(
  bytes: ReadableStream<Uint8Array>,
  text: ReadableStream<string>,
  response: Response,
): Promise<number> {
  let count = (await collect(bytes)).toolCalls.length + (await collect(text)).toolCalls.length;
  if (response.body) count += (await collect(response.body)).toolCalls.length;
  return count;
}

/** Through `readable` and `writable`, as `pipeTo` takes them. */
export async function piped(body: ReadableStream<Uint8Array>): Promise<void> {
  const calls = new ToolCallStream();
  const piping = body.pipeTo(calls.writable);
  for await (const call of calls.readable) console.log(call.id);
  await piping;
}

/** A `TransformStream` for those who ask for one. */
export const transform: TransformStream<Uint8Array | string, { readonly id: string }> =
  new ToolCallStream();
