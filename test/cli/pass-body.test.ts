import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable, Writable } from "node:stream";
import { gzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { codingsOf } from "../../src/cli/content-coding.ts";
import { passBody, type Rewriter } from "../../src/cli/pass-body.ts";

/** A client that takes one chunk, and the next when it is let. */
class SlowClient extends Writable {
  readonly chunkedEncoding = false;
  #taken: Buffer[] = [];
  #goOn: (() => void) | undefined;

  constructor() {
    super({ highWaterMark: 1 });
  }

  get text(): string {
    return `${Buffer.concat(this.#taken)}`;
  }

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.#taken.push(chunk);
    this.#goOn = done;
    this.emit("taken");
  }

  goOn(): void {
    const goOn = this.#goOn;
    this.#goOn = undefined;
    goOn?.();
  }
}

function passed(
  answer: Readable,
  client: Writable,
  rewriter?: Rewriter,
  coding: string | null = null,
): Promise<string | undefined> {
  const outgoing = client as unknown as ServerResponse;
  return passBody(answer as IncomingMessage, outgoing, rewriter, codingsOf(coding) ?? []);
}

describe("a body that breaks off while its client is slow passes to its last byte", () => {
  test.each([
    ["as it came", null, (text: string) => [Buffer.from(text)]],
    [
      "decoded",
      "gzip",
      (text: string) => {
        const bytes = gzipSync(text);
        return [...bytes].map((byte) => Buffer.from([byte]));
      },
    ],
  ])("%s", async (_how, coding, chunksOf) => {
    const answer = new Readable({ read: () => {} });
    const client = new SlowClient();
    const outcome = passed(answer, client, undefined, coding);
    const taken = once(client, "taken");
    for (const chunk of chunksOf("first, ")) answer.push(chunk);
    await taken;
    // The client holds the body up: this is not asked for.
    if (coding === null) answer.push("second, ");
    if (coding === null) answer.push("last");
    await new Promise((resolve) => setImmediate(resolve));
    answer.destroy(Object.assign(new Error("gone"), { code: "ECONNRESET" }));
    const isOver = outcome.then(() => true);
    while (!(await Promise.race([isOver, new Promise((resolve) => setImmediate(resolve))]))) {
      client.goOn();
    }
    expect(await outcome).toBe("ECONNRESET");
    expect(client.text).toBe(coding === null ? "first, second, last" : "first, ");
  });
});

test("what a rewriter still holds goes out, and what it throws is thrown", async () => {
  const held: Rewriter = { push: () => new Uint8Array(0), end: () => Buffer.from("held") };
  const client = new SlowClient();
  const outcome = passed(Readable.from([Buffer.from("a")]), client, held);
  client.on("taken", () => client.goOn());
  expect(await outcome).toBeUndefined();
  expect(client.text).toBe("held");

  const broken: Rewriter = {
    push: () => {
      throw new TypeError("broken");
    },
    end: () => new Uint8Array(0),
  };
  await expect(passed(Readable.from([Buffer.from("a")]), new SlowClient(), broken)).rejects.toThrow(
    "broken",
  );
});
