import { networkInterfaces } from "node:os";
import { describe, expect, test } from "vitest";
import { isLoopback, leadsBack, pathBehind } from "../../src/cli/target.ts";

test.each([
  { base: "", asked: "/v1/models?a=/../b", path: "/v1/models?a=/../b" },
  { base: "/v1", asked: "/models", path: "/v1/models" },
  { base: "/v1", asked: "/a/../b", path: "/v1/a/../b" },
  { base: "/v1", asked: "http://elsewhere/models", path: "/v1/models" },
  { base: "/v1", asked: "http://elsewhere?a", path: "/v1/?a" },
  { base: "/v1", asked: "*", path: "/v1/" },
  // The client adds the version too.
  { base: "/v1", asked: "/v1/models", path: "/v1/models" },
  { base: "/v1", asked: "/v1", path: "/v1" },
  { base: "/v1", asked: "/v1?a", path: "/v1?a" },
  { base: "/api/v1beta", asked: "/v1beta/models", path: "/api/v1beta/models" },
  { base: "/v1", asked: "/v11/models", path: "/v1/v11/models" },
  { base: "/v1", asked: "/v2/models", path: "/v1/v2/models" },
  { base: "/api", asked: "/api/models", path: "/api/api/models" },
  // A server at its root has nothing to leave.
  { base: "", asked: "/../a", path: "/../a" },
])("behind '$base', $asked is $path", ({ base, asked, path }) => {
  expect(pathBehind(base, asked)).toBe(path);
});

describe("a path that leaves that of the target", () => {
  test.each([
    "/..",
    "/../admin",
    "/a/../../admin",
    "/./../admin",
    "//../admin",
    "/%2e%2E/admin",
    "/.%2e/admin",
    "/a%2f..%2F..%2fadmin",
    "/..%5cadmin",
    "/..\\admin",
    "/..;/admin",
    "/a/..;x=1/../admin",
    "/v1/../../admin",
    "/..?a",
  ])("%s", (asked) => {
    expect(pathBehind("/v1", asked)).toBeUndefined();
  });
});

test.each([
  ["localhost", true],
  ["LOCALHOST.", true],
  ["agent.localhost", true],
  ["127.0.0.1", true],
  ["127.1.2.3", true],
  ["[::1]", true],
  ["::1", true],
  ["::ffff:127.0.0.1", true],
  ["0.0.0.0", false],
  ["::", false],
  ["192.168.0.1", false],
  ["127.0.0.1.example.com", false],
  ["notlocalhost", false],
])("isLoopback(%s) is %s", (host, expected) => {
  expect(isLoopback(host)).toBe(expected);
});

describe("a target that is the proxy itself", () => {
  const every = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const other = every.find(({ family, internal }) => family === "IPv4" && !internal);
  const own = other ?? { address: "127.0.0.1" };
  test.each([
    { target: "http://127.0.0.1:8787", listening: "127.0.0.1", is: true },
    { target: "http://127.0.0.1:8788", listening: "127.0.0.1", is: false },
    { target: "http://localhost:8787/v1", listening: "127.0.0.1", is: true },
    { target: "http://0.0.0.0:8787", listening: "127.0.0.1", is: true },
    { target: "http://[::1]:8787", listening: "::1", is: true },
    { target: "http://[::ffff:127.0.0.1]:8787", listening: "127.0.0.1", is: true },
    { target: "http://127.0.0.2:8787", listening: "127.0.0.1", is: false },
    { target: "http://127.0.0.2:8787", listening: "0.0.0.0", is: true },
    { target: `http://${own.address}:8787`, listening: "0.0.0.0", is: true },
    { target: `http://${own.address}:8787`, listening: "::", is: true },
    { target: "http://192.0.2.1:8787", listening: "0.0.0.0", is: false },
    { target: "http://no.such.name.invalid:8787", listening: "0.0.0.0", is: false },
  ])("$target, listening on $listening: $is", async ({ target, listening, is }) => {
    const address = { address: listening, family: "", port: 8787 };
    expect(await leadsBack(new URL(target), address)).toBe(is);
  });

  test.each([
    ["http://127.0.0.1", 80],
    ["https://127.0.0.1", 443],
  ])("%s is port %d", async (target, port) => {
    const address = { address: "127.0.0.1", family: "IPv4", port };
    expect(await leadsBack(new URL(target), address)).toBe(true);
    expect(await leadsBack(new URL(target), { ...address, port: 1 })).toBe(false);
  });
});
