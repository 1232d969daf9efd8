import { once } from "node:events";
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from "vitest";
import { sse } from "../bodies.ts";
import { BuiltCli, endOf, nextLine } from "./built.ts";
import { calls, entry, finish } from "../chat-chunks.ts";
import { deferred, serve, withoutTimes } from "./proxied.ts";

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

/** A proxy whose `/held` is open until it is let end. */
async function startHeld(...args: string[]) {
  const ending = deferred();
  const target = await serve(async (request, response) => {
    if (!request.url?.startsWith("/v1/held")) {
      response.end("ok");
      return;
    }
    response.write("data: 1\n\n");
    await ending.promise;
    response.end("data: 2\n\n");
  });
  const child = start("proxy", "--target", `${target}/v1/`, "--port", "0", ...args);
  const first = await nextLine(child);
  const [, url = ""] = /on (.*),/.exec(first) ?? [];
  return { proxy: { child, first, url }, target, ending };
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
    "serves until %s, lets open streams end, and exits with 0",
    async (signal) => {
      const { proxy, target, ending } = await startHeld();
      expect(proxy.first).toBe(`Listening on ${proxy.url}, forwarding to ${target}/v1`);
      const headers = { authorization: "Bearer sk-2" };
      const got = await fetch(`${proxy.url}/a?key=sk-1`, { headers });
      expect(await got.text()).toBe("ok");
      expect(withoutTimes(await nextLine(proxy.child))).toBe(
        "GET /v1/a 200 by the server, 0 calls renamed",
      );
      const held = await fetch(`${proxy.url}/held?key=sk-1`, { headers });
      const end = endOf(proxy.child);
      const waiting = once(proxy.child.stderr, "data");
      proxy.child.kill(signal);
      await waiting;
      ending.resolve();
      expect(await held.text()).toBe("data: 1\n\ndata: 2\n\n");
      const { stdout, stderr, code } = await end;
      expect(withoutTimes(stdout)).toBe("GET /v1/held 200 by the server, 0 calls renamed\n");
      expect(stderr).toBe("Waiting for 1 open request; a second signal cuts it\n");
      expect(code).toBe(0);
    },
  );

  const CUT = "GET /v1/held 200 by the server, 0 calls renamed, cut by the proxy: it stops\n";

  test("cuts what is open when the grace is over", async () => {
    const { proxy } = await startHeld("--grace", "1ms");
    const held = await fetch(`${proxy.url}/held`);
    const end = endOf(proxy.child);
    proxy.child.kill();
    await expect(held.text()).rejects.toThrow("terminated");
    const { stdout, code } = await end;
    expect([withoutTimes(stdout), code]).toEqual([CUT, 0]);
  });

  test.each([true, false])(
    "cuts it at a second signal, with its output open: %s",
    async (isOpen) => {
      const { proxy } = await startHeld("--grace", "1h");
      const held = await fetch(`${proxy.url}/held`);
      if (!isOpen) proxy.child.stdout.destroy();
      const end = endOf(proxy.child);
      const waiting = once(proxy.child.stderr, "data");
      proxy.child.kill("SIGTERM");
      await waiting;
      proxy.child.kill("SIGTERM");
      await expect(held.text()).rejects.toThrow("terminated");
      const { stdout, code } = await end;
      expect([withoutTimes(stdout), code]).toEqual([isOpen ? CUT : "", 0]);
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
