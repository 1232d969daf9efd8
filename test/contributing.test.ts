import { existsSync, readdirSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import { expect, test } from "vitest";

const root = new URL("../", import.meta.url);
const textOf = (path: string): string => readFileSync(new URL(path, root), "utf8");
const filesIn = (folder: string): string[] =>
  readdirSync(new URL(folder, root), { recursive: true, encoding: "utf8" }).map((path) =>
    path.replaceAll("\\", "/"),
  );

const page = textOf("CONTRIBUTING.md");

/** The rows of the table of rules. */
const rules = [...page.matchAll(/^\| (.+?) \| ([\w/.-]+) `(#?\w+)` \| (.+?) \|$/gm)].map(
  ([, rule = "", file = "", name = "", title = ""]) => ({ rule, file, name, title }),
);

const sources = filesIn("src/").filter((path) => path.endsWith(".ts"));
const tests = filesIn("test/")
  .filter((path) => path.endsWith(".test.ts"))
  .map((path) => textOf(`test/${path}`))
  .join("\n");

/** Whether a file declares a function, a method, a property or a constant of this name. */
function isDeclared(file: string, name: string): boolean {
  const words = "(?:export |async |protected |override |readonly |get |function |const )*";
  return new RegExp(`^\\s*${words}${name}[(<:]`, "m").test(textOf(`src/${file}`));
}

/** The rooms that the files of each room import from. */
function importsOf(room: string): string[] {
  const files = sources.filter((path) => path.startsWith(`${room}/`));
  const imported = files.flatMap((file) =>
    [...textOf(`src/${file}`).matchAll(/from "(\..+?)"/g)].map(([, path = ""]) =>
      posix.join(posix.dirname(file), path),
    ),
  );
  const rooms = imported.flatMap((path) => (path.includes("/") ? path.split("/", 1) : []));
  return [...new Set(rooms)].filter((other) => other !== room).sort();
}

test("every row of the table of rules names a function and a test", () => {
  const [, table = ""] = page.split("## Where each rule stands");
  expect(rules).toHaveLength((table.match(/^\| /gm)?.length ?? 0) - 2);
});

test.each(rules)("$rule: $file has $name", ({ file, name }) => {
  expect(sources).toContain(file);
  expect(isDeclared(file, name)).toBe(true);
});

test.each(rules)("$rule: there is a test of it", ({ title }) => {
  expect(tests.includes(`"${title}"`)).toBe(true);
});

test("the rooms are those of src, and import what the map says, from above", () => {
  const [map = ""] = page.split("Five files have no room.");
  const rooms = [...map.matchAll(/^\d+\. `(\w+)\/`([^]*?)Imports:\s([^]*?)\.$/gm)].map(
    ([, room = "", , imports = ""]) => ({
      room,
      imports: [...imports.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name).sort(),
    }),
  );
  const names = rooms.map(({ room }) => room);
  const folders = sources.flatMap((path) => (path.includes("/") ? path.split("/", 1) : []));
  expect([...names].sort()).toEqual([...new Set(folders)].sort());
  expect(rooms).toEqual(names.map((room) => ({ room, imports: importsOf(room) })));
  for (const [position, { imports }] of rooms.entries()) {
    expect(names.slice(0, position)).toEqual(expect.arrayContaining(imports));
  }
});

test("every path in the pages is there", () => {
  const docs = filesIn("docs/").map((name) => `docs/${name}`);
  for (const file of ["CONTRIBUTING.md", "README.md", ...docs]) {
    const named = [...textOf(file).matchAll(/`([\w./-]+(?:\.(?:ts|js|json)|\/))`/g)];
    const missing = named
      .map(([, path = ""]) => path)
      .filter((path) => path.includes("/"))
      .filter((path) => !["", "src/"].some((at) => existsSync(new URL(at + path, root))));
    expect({ file, missing }).toEqual({ file, missing: [] });
  }
});
