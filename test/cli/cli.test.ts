import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { sse } from "../bodies.ts";
import { BuiltCli, endOf, nextLine } from "./built.ts";
import { calls, entry, finish } from "../chat-chunks.ts";
import { serve } from "./proxied.ts";

const FIRST = sse(calls(entry(0, "f:0", "f", '{"a":1}')), calls(entry(1, "g:1", "g", '{"b":')));
const REST = sse(calls(entry(1, undefined, undefined, "2}")), finish("tool_calls"), "[DONE]");

let cli: BuiltCli;
beforeAll(async () => {
  cli = await BuiltCli.build();
  // A compiler runs: on a busy machine, longer than a hook may take.
}, 60_000);
afterAll(() => cli.remove());

function start(...args: string[]) {
  const child = cli.start(...args);
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  return child;
}

test("the file runs the command of its process", async () => {
  const { argv } = process;
  const write = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  process.argv = ["node", "cli.js", "--version"];
  await import("../../src/cli/cli.ts");
  process.argv = argv;
  const text = write.mock.calls.join("");
  write.mockRestore();
  expect(text).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect(process.exitCode).toBe(0);
  process.exitCode = undefined;
});

describe("in a pipe", () => {
  test.each([[[]], [["assemble"]]])(
    "%j prints each call while the response still streams",
    async (args) => {
      const child = start(...args);
      child.stdin.write(FIRST);
      expect(JSON.parse(await nextLine(child))).toMatchObject({ name: "f", input: { a: 1 } });
      const end = endOf(child);
      child.stdin.end(REST);
      const { stdout, stderr, code } = await end;
      expect(JSON.parse(stdout)).toMatchObject({ name: "g", input: { b: 2 } });
      expect([stderr, code]).toEqual(["", 0]);
    },
  );

  test("a response that is cut: the calls, the error, exit code 1", async () => {
    const child = start();
    const end = endOf(child);
    child.stdin.end(FIRST);
    const { stdout, stderr, code } = await end;
    const [f, g] = stdout.trim().split("\n");
    expect(JSON.parse(f ?? "")).toMatchObject({ name: "f", status: "complete" });
    expect(JSON.parse(g ?? "")).toMatchObject({ name: "g", status: "incomplete" });
    expect(stderr).toMatch(/^error truncated-response: .+\n$/);
    expect(code).toBe(1);
  });

  test("a reader that has left (| head -1) ends it quietly", async () => {
    const child = start();
    child.stdin.write(FIRST);
    await nextLine(child);
    child.stdout.destroy();
    const end = endOf(child);
    child.stdin.on("error", () => {});
    child.stdin.write(REST);
    expect(await end).toEqual({ stdout: "", stderr: "", code: 0 });
  });

  test("wrong arguments: exit code 2", async () => {
    const { stderr, code } = await endOf(start("--event"));
    expect(stderr).toMatch(/^Cannot read arguments: Unknown option '--event'/);
    expect(code).toBe(2);
  });
});

describe("proxy", () => {
  test.each(["SIGINT", "SIGTERM"] as const)(
    "serves until %s, then cuts what is open and exits with 0",
    async (signal) => {
      const target = await serve((request, response) => {
        if (request.url === "/v1/held?key=sk-1") response.write("data: 1\n\n");
        else response.end("ok");
      });
      const child = start("proxy", "--target", `${target}/v1/`, "--port", "0");
      const first = await nextLine(child);
      expect(first).toMatch(/^Listening on http:\/\/127.0.0.1:\d+, forwarding to http/);
      expect(first.endsWith(`, forwarding to ${target}/v1`)).toBe(true);
      const [, url] = /on (.*),/.exec(first) ?? [];
      const headers = { authorization: "Bearer sk-2" };

      expect(await fetch(`${url}/a?key=sk-1`, { headers }).then((got) => got.text())).toBe("ok");
      expect(await nextLine(child)).toMatch(
        /^\S+ GET \/v1\/a 200 by the server, \d+ ms, 0 calls renamed$/,
      );
      const held = await fetch(`${url}/held?key=sk-1`, { headers });
      const reader = held.body?.getReader();
      await reader?.read();
      const end = endOf(child);
      child.kill(signal);
      await expect(reader?.read()).rejects.toThrow("terminated");
      expect(await end).toEqual({
        stdout: "GET /held 200 0 calls renamed, cut by the proxy, which stops\n",
        stderr: "",
        code: 0,
      });
    },
  );

  test("goes on when nobody reads what it prints (| head -1)", async () => {
    const target = await serve((_request, response) => response.end("ok"));
    const child = start("proxy", "--target", target, "--port", "0");
    const [, url = ""] = /on (.*),/.exec(await nextLine(child)) ?? [];
    child.stdout.destroy();
    for (let count = 0; count < 3; count += 1) {
      expect(await fetch(url).then((response) => response.text())).toBe("ok");
    }
    child.kill();
    expect(await once(child, "close")).toEqual([0, null]);
  });

  test("a port that is taken: says so, exit code 1", async () => {
    const target = await serve((_request, response) => response.end());
    const { port } = new URL(target);
    const { stdout, stderr, code } = await endOf(
      start("proxy", "--target", target, "--port", port),
    );
    expect([stdout, stderr, code]).toEqual([
      "",
      `Cannot listen on 127.0.0.1:${port}: the port is taken\n`,
      1,
    ]);
  });
});
