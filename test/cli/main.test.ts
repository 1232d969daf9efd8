import { EventEmitter, once } from "node:events";
import { PassThrough, Readable, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, test } from "vitest";
import type { Io } from "../../src/cli/io.ts";
import { main } from "../../src/cli/main.ts";
import { sse } from "../bodies.ts";
import { calls, chunk, entry, finish } from "../chat-chunks.ts";
import { serve } from "./proxied.ts";

interface Outcome {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

class TestIo extends EventEmitter implements Io {
  readonly stdin: Readable & { isTTY?: boolean };
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly env = {};

  constructor(input: string, isTTY: boolean) {
    super();
    this.stdin = Object.assign(Readable.from(input === "" ? [] : [Buffer.from(input)]), { isTTY });
  }
}

async function run(args: string[], { input = "", isTTY = false } = {}): Promise<Outcome> {
  const io = new TestIo(input, isTTY);
  const [stdout, stderr] = [text(io.stdout), text(io.stderr)];
  const code = await main(args, io);
  io.stdout.end();
  io.stderr.end();
  return { code, stdout: await stdout, stderr: await stderr };
}

describe("help on stdout, exit code 0", () => {
  test.each([
    { args: ["--help"], says: "Usage:\n  toolcall-stream proxy --target URL" },
    { args: ["proxy", "--help"], says: "--port NUMBER" },
    { args: ["assemble", "--help"], says: "--events" },
    { args: ["-h"], says: "Usage:\n  toolcall-stream proxy --target URL" },
    { args: ["proxy", "-h"], says: "--port NUMBER" },
    { args: ["assemble", "-h"], says: "--events" },
    { args: ["help"], says: "Usage:\n  toolcall-stream proxy --target URL" },
    { args: ["help", "proxy"], says: "--port NUMBER" },
    { args: ["help", "assemble"], says: "--events" },
    { args: ["proxy", "--help"], says: "WebSocket" },
  ])("$args", async ({ args, says }) => {
    const { code, stdout, stderr } = await run(args);
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain(says);
    expect(Math.max(...stdout.split("\n").map((line) => line.length))).toBeLessThanOrEqual(80);
  });

  test("no arguments on a terminal", async () => {
    const help = await run(["--help"]);
    expect(await run([], { isTTY: true })).toEqual(help);
  });
});

test.each(["--version", "-v"])("%s is that of package.json", async (flag) => {
  const { default: npm } = await import("../../package.json", { with: { type: "json" } });
  expect(await run([flag])).toEqual({ code: 0, stdout: `${npm.version}\n`, stderr: "" });
});

const COMMANDS = "the commands are proxy, assemble and help";
const POSITIONAL =
  "Cannot read arguments: one of them stands behind no option. A URL goes behind --target";

describe("wrong arguments: exit code 2, and why", () => {
  const target = ["proxy", "--target"];
  test.each([
    { args: ["serve"], why: "Cannot run serve: the commands are proxy, assemble and help" },
    { args: ["help", "me"], why: "Cannot help with me: the commands are proxy, assemble and help" },
    { args: ["help", "toString"], why: `Cannot help with toString: ${COMMANDS}` },
    { args: ["\u001b[2Jx"], why: `Cannot run \\u001b[2Jx: ${COMMANDS}` },
    {
      args: ["https://u:key@h"],
      why: "Cannot run a URL: did you mean toolcall-stream proxy --target URL?",
    },
    { args: ["--all"], why: "Cannot read arguments: Unknown option '--all'" },
    {
      args: ["assemble", "file"],
      why: POSITIONAL,
    },
    { args: ["proxy"], why: "Cannot start proxy: --target is missing" },
    { args: target, why: "Cannot read arguments: Option '--target <value>' argument missing" },
    { args: [...target, "api"], why: "Cannot use --target: it is no URL" },
    { args: [...target, "ftp://h"], why: "Cannot use --target: ftp: is neither http: nor https:" },
    { args: [...target, "http://u@h"], why: "Cannot use --target: it holds a user or a password" },
    { args: [...target, "http://:p@h"], why: "Cannot use --target: it holds a user or a password" },
    {
      args: [...target, "http://h", "--host", ""],
      why: "Cannot use --host: it is empty, which is every address",
    },
    {
      args: [...target, "http://h/v1?"],
      why: "Cannot use --target: it holds a query or a fragment",
    },
    {
      args: ["proxy", "http://u:key@h"],
      why: POSITIONAL,
    },
    { args: [...target, "http://h?a"], why: "Cannot use --target: it holds a query or a fragment" },
    { args: [...target, "http://h#a"], why: "Cannot use --target: it holds a query or a fragment" },
    {
      args: [...target, "http://h", "--port", "65536"],
      why: "Cannot use --port 65536: expected a number from 0 to 65535",
    },
    {
      args: [...target, "http://h", "--port", "http"],
      why: "Cannot use --port http: expected a number from 0 to 65535",
    },
    {
      args: [...target, "http://h", "--max-body", "1TB"],
      why: "Cannot use --max-body 1TB: expected a size of at most 256MiB",
    },
    {
      args: [...target, "http://h", "--max-body", "1GiB"],
      why: "Cannot use --max-body 1GiB: expected a size of at most 256MiB",
    },
    {
      args: [...target, "http://h", "--grace", "soon"],
      why: "Cannot use --grace soon: expected a time such as 30s",
    },
    {
      args: [...target, "http://h", "--grace", "1000h"],
      why: "Cannot use --grace 1000h: expected a time such as 30s",
    },
    {
      args: [...target, "http://h", "--history", "kimi-k3"],
      why: "Cannot use --history kimi-k3: only kimi-k2 is known",
    },
  ])("$args", async ({ args, why }) => {
    const stderr = `${why}. See toolcall-stream --help\n`;
    expect(await run(args)).toEqual({ code: 2, stdout: "", stderr });
  });
});

describe("assemble", () => {
  const call = calls(entry(0, "f:0", "f", '{"a":1}'));

  test("--events prints every event, with or without the command", async () => {
    const input = sse(chunk({ content: "Hi" }), call, finish("tool_calls"), "[DONE]");
    for (const args of [["--events"], ["assemble", "--events"]]) {
      const { code, stdout, stderr } = await run(args, { input });
      const events = stdout
        .trimEnd()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect(events).toMatchObject([
        { type: "text", text: "Hi" },
        { type: "tool-call-start", name: "f" },
        { type: "tool-call-delta", fragment: '{"a":1}' },
        { type: "tool-call", call: { name: "f", input: { a: 1 } } },
        { type: "finish", reason: "tool_calls" },
      ]);
      expect([code, stderr]).toEqual([0, ""]);
    }
  });

  test("diagnostics on stderr, a line each", async () => {
    const input = sse(call, "{damaged", finish("tool_calls"), "[DONE]");
    const { code, stdout, stderr } = await run([], { input });
    expect(JSON.parse(stdout)).toMatchObject({ name: "f" });
    expect(stderr).toMatch(/^error damaged-event, event 1: .+\n$/);
    expect(code).toBe(0);
  });

  test("no control character of the server reaches a terminal", async () => {
    const named = calls(entry(0, "f:0", "\u009b2J\u007f", '{"a":1}'));
    const error = JSON.stringify({ error: { message: "\u001b[2J\u202e" } });
    const { stdout, stderr } = await run([], { input: sse(named, error) });
    expect(`${stdout}${stderr}`).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
    expect(JSON.parse(stdout)).toMatchObject({ name: "\u009b2J\u007f" });
    expect(stderr).toContain("\\u001b[2J\\u202e");
  });

  test("an error of the server: its message with its code, exit code 1", async () => {
    const input = sse(call, '{"error":{"message":"engine died"}}');
    const { code, stdout, stderr } = await run([], { input });
    expect(JSON.parse(stdout)).toMatchObject({ name: "f", status: "complete" });
    expect(stderr).toMatch(/^error provider-error: .*engine died.*\n$/);
    expect(code).toBe(1);
  });

  test("an input that fails: its message, exit code 1", async () => {
    const io = new TestIo("", false);
    io.stdin.destroy(new Error("EISDIR"));
    const stderr = text(io.stderr);
    expect(await main([], io)).toBe(1);
    io.stderr.end();
    expect(await stderr).toBe("error: EISDIR\n");
  });

  test("an output that fails, unless its reader has left: exit code 1", async () => {
    for (const [code, exit] of [
      ["ENOSPC", 1],
      ["EPIPE", 0],
    ] as const) {
      const stdout = new Writable({
        write: (_chunk, _encoding, done) => done(Object.assign(new Error("full"), { code })),
      });
      const io = Object.assign(new TestIo(sse(call), false), { stdout: stdout as never });
      expect(await main([], io)).toBe(exit);
      expect(io.stdin.destroyed).toBe(true);
    }
  });
});

test("proxy on a port that is taken: exit code 1", async () => {
  const target = await serve((_request, response) => response.end());
  const { port } = new URL(target);
  const stderr = `Cannot listen on 127.0.0.1:${port}: the port is taken\n`;
  const outcome = await run(["proxy", "--target", target, "--port", port]);
  expect(outcome).toEqual({ code: 1, stdout: "", stderr });
});

test("proxy --history goes to the proxy; it stops at a signal", async () => {
  const io = new TestIo("", false);
  const target = await serve((_request, response) => response.end());
  const args = ["--target", target, "--port", "0", "--history", "kimi-k2"];
  const code = main(["proxy", ...args], io);
  await new Promise((resolve) => io.stdout.once("data", resolve));
  io.emit("SIGINT");
  expect(await code).toBe(0);
});

describe("proxy says on stderr", () => {
  test.each([
    {
      what: "that everyone can use it",
      args: ["--target", "http://127.0.0.1:1", "--host", "0.0.0.0"],
      says: /^Everyone who reaches http:\/\/0\.0\.0\.0:\d+ can use the server behind it\n$/,
    },
    {
      what: "nothing where only this machine can",
      args: ["--target", "http://127.0.0.1:1", "--host", "localhost"],
      says: /^$/,
    },
  ])("$what", async ({ args, says }) => {
    const io = new TestIo("", false);
    const stderr = text(io.stderr);
    const code = main(["proxy", ...args, "--port", "0"], io);
    await once(io.stdout, "data");
    io.emit("SIGTERM");
    expect(await code).toBe(0);
    io.stderr.end();
    expect(await stderr).toMatch(says);
  });

  test("that Node cannot use the proxy that the environment names, where it cannot", async () => {
    const env = { HTTPS_PROXY: "http://127.0.0.1:1" };
    const io = Object.assign(new TestIo("", false), { env });
    const stderr = text(io.stderr);
    const code = main(["proxy", "--target", "https://192.0.2.1", "--port", "0"], io);
    await once(io.stdout, "data");
    io.emit("SIGTERM");
    expect(await code).toBe(0);
    io.stderr.end();
    const canUse = process.allowedNodeEnvironmentFlags.has("--use-env-proxy");
    expect(await stderr).toMatch(canUse ? /^$/ : /^Cannot use HTTPS_PROXY: Node 24\.5 /);
  });
});

describe("proxy, when it is stopped while requests are open", () => {
  test.each([
    { count: 1, says: "Waiting for 1 open request; a second signal cuts it\n" },
    { count: 2, says: "Waiting for 2 open requests; a second signal cuts them\n" },
  ])("says so, and cuts them at a second signal: $count", async ({ count, says }) => {
    const { io, url, code, heard } = await startHeld("1h");
    const held: Promise<unknown>[] = [];
    for (let ordinal = 0; ordinal < count; ordinal += 1) {
      const request = once(heard, "request");
      held.push(fetch(url).catch(() => "cut"));
      await request;
    }
    const stderr = once(io.stderr, "data");
    io.emit("SIGTERM");
    expect(`${await stderr}`).toBe(says);
    io.emit("SIGINT");
    expect(await code).toBe(0);
    expect(await Promise.all(held)).toEqual(held.map(() => "cut"));
  });

  test("cuts them when the grace is over", async () => {
    const { io, url, code, heard } = await startHeld("0");
    const request = once(heard, "request");
    const held = fetch(url).catch(() => "cut");
    await request;
    io.emit("SIGTERM");
    expect(await code).toBe(0);
    expect(await held).toBe("cut");
  });
});

/** The command, in front of a server that never answers. */
async function startHeld(grace: string) {
  const io = new TestIo("", false);
  const heard = new EventEmitter();
  const target = await serve(() => heard.emit("request"));
  const code = main(["proxy", "--target", target, "--port", "0", "--grace", grace], io);
  const [line] = await once(io.stdout, "data");
  const [, url = ""] = /on (.*),/.exec(`${line}`) ?? [];
  return { io, url, code, heard };
}

test("proxy --json: each line is JSON", async () => {
  const io = new TestIo("", false);
  const target = await serve((_request, response) => response.end("ok"));
  const code = main(["proxy", "--target", target, "--port", "0", "--json"], io);
  const [first] = await once(io.stdout, "data");
  const { url, ...rest } = JSON.parse(first);
  expect(rest).toEqual({ target });
  const line = once(io.stdout, "data");
  expect(await fetch(url).then((response) => response.text())).toBe("ok");
  const [logged] = await line;
  expect(JSON.parse(logged)).toMatchObject({ method: "GET", path: "/", status: 200, by: "server" });
  io.emit("SIGINT");
  expect(await code).toBe(0);
});

test("diagnostics that nobody reads do not stop the calls", async () => {
  const lost = "data: {bad\n\n";
  const whole = calls(entry(0, "a", "f", '{"x":1}'));
  const io = new TestIo(lost + sse(whole, finish("stop"), "[DONE]"), false);
  const stdout = text(io.stdout);
  const running = main(["assemble"], io);
  io.stderr.destroy(new Error("write EPIPE"));
  expect(await running).toBe(0);
  io.stdout.end();
  expect(await stdout).toContain('"name":"f"');
});
