// What the README's examples take for granted.

import type { ToolCall } from "toolcall-stream";

declare global {
  const url: string;
  const headers: Record<string, string>;
  const request: { model: string; messages: object[]; tools: object[] };
  const messages: unknown[];
  const response: { readonly body: NonNullable<Response["body"]> };
  const body: ReadableStream<Uint8Array>;
  const providerIds: Map<string, string>;
  const chunks: AsyncIterable<object>;
  function respond(messages: readonly unknown[]): Promise<Response>;
  function run(name: ToolCall["name"], input: unknown): unknown;
  function show(text: string, input?: unknown): void;
}
