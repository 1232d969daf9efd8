import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { PROXY_HELP } from "../../src/cli/help.ts";
import { readProxyArguments } from "../../src/cli/usage.ts";
import npm from "../../package.json" with { type: "json" };

function linesOf(example: string): string[] {
  const text = readFileSync(new URL(`../../examples/${example}`, import.meta.url), "utf8");
  return text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
}

/** The arguments behind the command, and that the help has each of them. */
function expectKnown(command: readonly string[]): readonly string[] {
  const [name = "", proxy, ...args] = command;
  expect(Object.keys(npm.bin)).toContain(name);
  expect(proxy).toBe("proxy");
  for (const flag of args.filter((arg) => arg.startsWith("--"))) {
    expect(PROXY_HELP).toMatch(new RegExp(`^  (?:-\\w, )?${flag}\\b`, "m"));
  }
  return args;
}

test("both give Node the same options, which it takes", () => {
  const [container = "", unit = ""] = ["container/Containerfile", "systemd/toolcall-stream.service"]
    .map((example) => linesOf(example).join("\n"))
    .map((text) => /NODE_OPTIONS=(\S+)$/m.exec(text)?.[1]);
  expect(container).toBe(unit);
  expect(process.allowedNodeEnvironmentFlags.has(container.replace(/=.*/, ""))).toBe(true);
});

describe("the container file", () => {
  const lines = linesOf("container/Containerfile");
  const valueOf = (instruction: string): string =>
    lines.find((line) => line.startsWith(`${instruction} `))?.slice(instruction.length + 1) ?? "";

  test("has known instructions, one image and one command", () => {
    const instructions = lines.map((line) => line.split(" ")[0]);
    expect(instructions).toEqual([
      "FROM",
      "RUN",
      "ENV",
      "USER",
      "EXPOSE",
      "STOPSIGNAL",
      "ENTRYPOINT",
      "CMD",
    ]);
    expect(valueOf("RUN")).toContain(`npm install --global ${npm.name} `);
  });

  test("runs a Node that the package takes", () => {
    const [, version] = /^node:(\d+)-alpine$/.exec(valueOf("FROM")) ?? [];
    const [, lowest] = /^>=(\d+)/.exec(npm.engines.node) ?? [];
    expect(Number(version)).toBeGreaterThanOrEqual(Number(lowest));
  });

  test("runs the proxy with arguments that it takes, on the port that it exposes", () => {
    const args = expectKnown(JSON.parse(valueOf("ENTRYPOINT")));
    const read = readProxyArguments([...args, "--target", "http://h"]);
    expect(read).toMatchObject({ host: "0.0.0.0", isJson: true, graceMs: 30_000 });
    expect(`${read?.port}`).toBe(valueOf("EXPOSE"));
    // Without a target it says how it is used.
    expect(readProxyArguments([...args, ...JSON.parse(valueOf("CMD"))])).toBeUndefined();
  });
});

describe("the unit file", () => {
  const lines = linesOf("systemd/toolcall-stream.service");
  const valueOf = (key: string): string =>
    lines.find((line) => line.startsWith(`${key}=`))?.slice(key.length + 1) ?? "";

  test("has the sections of a service, and settings in them", () => {
    expect(lines.filter((line) => line.startsWith("["))).toEqual([
      "[Unit]",
      "[Service]",
      "[Install]",
    ]);
    const settings = lines.filter((line) => !line.startsWith("["));
    expect(settings.filter((line) => !/^[A-Z]\w+=/.test(line))).toEqual([]);
  });

  test("runs the proxy with arguments that it takes, and waits for longer than its grace", () => {
    const [program, ...command] = valueOf("ExecStart").split(" ");
    expect(program).toBe("/usr/bin/env");
    const read = readProxyArguments(expectKnown(command));
    expect(read).toMatchObject({ host: "127.0.0.1", port: 8787 });
    expect(Number(valueOf("TimeoutStopSec")) * 1000).toBeGreaterThan(read?.graceMs ?? 0);
  });

  test("does not forbid what the engine of Node needs", () => {
    // It writes the code that it runs.
    expect(valueOf("MemoryDenyWriteExecute")).toBe("");
  });
});
