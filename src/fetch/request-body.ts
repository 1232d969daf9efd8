import { encoder, ByteBuffer } from "../events/bytes.ts";

/** The JSON body of a request. */
export interface JsonBody {
  readonly text: string;
  /** The arguments of `fetch` with another text. */
  withText(text: string): FetchArguments;
  /** The arguments of `fetch` with the same text. */
  readonly unchanged: FetchArguments;
}

type Input = RequestInfo | URL;
export type FetchArguments = readonly [input: Input, init: RequestInit | undefined];

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/** The body of a request, if it is JSON and not compressed. */
export async function readJsonBody(
  input: Input,
  init: RequestInit | undefined,
): Promise<JsonBody | undefined> {
  const request = input instanceof Request ? input : undefined;
  const body = init?.body ?? undefined;
  const headers = new Headers(init?.headers ?? request?.headers);
  if (headers.has("content-encoding") || !isJson(headers, body)) return undefined;
  headers.delete("content-length");
  // A Blob carries its type; the bytes that replace it need a header.
  if (body instanceof Blob && !headers.has("content-type")) headers.set("content-type", body.type);
  const signal = init?.signal ?? request?.signal;
  const unchanged: FetchArguments = [input, init];

  if (typeof body === "string") {
    return {
      text: body,
      withText: (text) => [input, { ...init, headers, body: text }],
      unchanged,
    };
  }
  if (body !== undefined) {
    const bytes = await readBytes(body, signal);
    return {
      text: decoded(bytes),
      withText: (text) => [input, { ...init, headers, body: encoder.encode(text) }],
      // A stream is read now.
      unchanged: isReusable(body) ? unchanged : [input, { ...init, headers, body: bytes }],
    };
  }
  if (request === undefined) return undefined;
  const copy = request.clone();
  // Firefox does not show the body of a request as a stream.
  const bytes = await readBytes(copy.body ?? (await copy.arrayBuffer()), signal);
  return {
    text: decoded(bytes),
    withText: (text) => [
      new Request(request, { ...init, headers, body: encoder.encode(text) }),
      undefined,
    ],
    unchanged,
  };
}

/** @throws the reason of the signal, as `fetch` does, if it aborts before the body has been read */
async function readBytes(
  body: BodyInit,
  signal: AbortSignal | null | undefined,
): Promise<Uint8Array<ArrayBuffer>> {
  const stream = body instanceof ReadableStream ? body : new Response(body).body;
  const reader = (stream as ReadableStream<Uint8Array> | null)?.getReader();
  // A body that stalls would hold the abort up.
  const cancel = (): void => {
    reader?.cancel(signal?.reason).catch(() => {});
  };
  signal?.addEventListener("abort", cancel);
  const buffer = new ByteBuffer();
  try {
    for (;;) {
      signal?.throwIfAborted();
      const next = await reader?.read();
      if (next === undefined || next.done) break;
      buffer.append(next.value);
    }
    signal?.throwIfAborted();
  } finally {
    signal?.removeEventListener("abort", cancel);
  }
  return buffer.take();
}

/** JSON text is often sent without a type. With any other type, the body is no JSON. */
function isJson(headers: Headers, body: unknown): boolean {
  const type = headers.get("content-type") ?? (body instanceof Blob ? body.type : undefined);
  if (type === undefined || type === "") return typeof body === "string" || isBytes(body);
  return /^application\/(?:[\w.-]+\+)?json\b/i.test(type);
}

function isReusable(body: unknown): boolean {
  return isBytes(body) || body instanceof Blob;
}

function isBytes(body: unknown): boolean {
  return ArrayBuffer.isView(body) || body instanceof ArrayBuffer;
}

/** Bytes that are no UTF-8 are not read. */
function decoded(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch {
    return "";
  }
}
