// @ts-check
// An agent: it asks, runs the tools that the model calls, and asks again until the model has an
// answer. The server numbers its calls from zero in every turn; the history goes back with fresh ids.

import { ChatEventStream, toolResult } from "toolcall-stream";
import { EventCounter } from "./event-counter.js";
import { Screen } from "./screen.js";
import { startServer } from "./server.js";
import { definitions, run } from "./tools.js";

/**
 * @import { ChatToolMessage, ToolCall } from "toolcall-stream"
 * @import { Message } from "./screen.js"
 */

const QUESTION = "Is the sun up in Tokyo? And in São Paulo?";
/** In milliseconds: a demo that hangs is worse than one that fails. */
const TIMEOUT = 10_000;

const screen = new Screen(process.stdout);
const server = await startServer();
const url = `${server.url}/chat/completions`;

/** @param {readonly Message[]} messages */
function ask(messages) {
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      model: "moonshotai/Kimi-K3",
      tools: definitions,
      messages,
      stream: true,
    }),
    signal: AbortSignal.timeout(TIMEOUT),
  });
}

/** @param {ToolCall} call */
async function answer(call) {
  if (call.status === "incomplete") return resultOf(call, call.error);
  try {
    return resultOf(call, await run(call.name, call.input));
  } catch (error) {
    return resultOf(call, { error: String(error) });
  }
}

/**
 * @param {ToolCall} call
 * @param {unknown} output
 */
function resultOf(call, output) {
  const result = toolResult(call, output);
  if (!("role" in result)) throw new Error("The server speaks another dialect");
  return result;
}

/**
 * One turn: what the model says, and the results of its calls, join the history.
 *
 * @param {Message[]} messages
 */
async function takeTurn(messages) {
  const response = await ask(messages);
  if (!response.ok || !response.body) {
    throw new Error(`HTTP ${response.status}: ${await response.text()}`);
  }
  const counter = new EventCounter();
  const events = new ChatEventStream();
  const results = [];
  for await (const event of response.body.pipeThrough(counter).pipeThrough(events)) {
    screen.event(event, counter.number);
    // The tool starts here, while the response still streams.
    if (event.type === "tool-call") results.push(show(answer(event.call)));
  }
  const { dialect, message, toolCalls } = await events.completion;
  if (dialect !== "chat" || message === undefined) throw new Error("The response had no message");
  messages.push(message, ...(await Promise.all(results)));
  return toolCalls;
}

/** @param {Promise<ChatToolMessage>} result */
async function show(result) {
  screen.result(await result);
  return result;
}

/** The whole conversation, question to answer. */
async function converse() {
  screen.title("user", QUESTION);
  /** @type {Message[]} */
  const messages = [{ role: "user", content: QUESTION }];
  /** @type {ToolCall[]} */
  const calls = [];
  for (let turn = 1; messages.at(-1)?.role !== "assistant"; turn += 1) {
    screen.title(`turn ${turn}`, `POST ${url}`);
    calls.push(...(await takeTurn(messages)));
  }

  const history = messages.slice(0, -1);
  screen.title("history", "what went back with the last request");
  screen.history(history);

  const wireIds = calls.map((call) => call.providerId);
  const freshIds = calls.map((call) => call.id);
  screen.title("ids", `of ${calls.length} calls`);
  screen.line("on the wire", `${new Set(wireIds).size} different: ${wireIds.join(", ")}`);
  screen.line("sent back", `${new Set(freshIds).size} different; the server took them: HTTP 200`);
  screen.line("otherwise", await refusalOf(withWireIds(history, calls)));
}

/**
 * The history as it is with the ids of the wire.
 *
 * @param {readonly Message[]} history
 * @param {readonly ToolCall[]} calls
 * @returns {Message[]}
 */
function withWireIds(history, calls) {
  let text = JSON.stringify(history);
  for (const { id, providerId = "" } of calls) text = text.replaceAll(id, providerId);
  return JSON.parse(text);
}

/** @param {readonly Message[]} messages */
async function refusalOf(messages) {
  const response = await ask(messages);
  if (response.ok) throw new Error("The server took a history in which ids repeat");
  const { error } = await response.json();
  return `HTTP ${response.status}: ${error.message}`;
}

// Who reads only the first lines (`npm run demo | head`) wants no more.
process.stdout.once("error", () => process.exit());

try {
  await converse();
} catch (error) {
  screen.close();
  console.error(`\nThe demo failed: ${error}`);
  process.exitCode = 1;
} finally {
  await server.close();
}
