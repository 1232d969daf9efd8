import { execFile, spawn } from "node:child_process";
import type { ChildProcessWithoutNullStreams } from "node:child_process";
import { copyFile, mkdtemp, rm, symlink } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));

/** The command line as it is installed: Node 20 runs no TypeScript. */
export class BuiltCli {
  #folder: string;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /** In a folder of its own: tests may run beside each other. */
  static async build(): Promise<BuiltCli> {
    const folder = await mkdtemp(join(tmpdir(), "toolcall-stream-cli-"));
    await symlink(join(ROOT, "node_modules"), join(folder, "node_modules"));
    await copyFile(join(ROOT, "package.json"), join(folder, "package.json"));
    const compiler = join(ROOT, "node_modules/typescript/bin/tsc");
    const args = [compiler, "-p", "tsconfig.node.json", "--outDir", join(folder, "dist")];
    await promisify(execFile)(process.execPath, args, { cwd: ROOT });
    return new BuiltCli(folder);
  }

  start(...args: string[]): ChildProcessWithoutNullStreams {
    return spawn(process.execPath, [join(this.#folder, "dist/cli/cli.js"), ...args]);
  }

  remove(): Promise<void> {
    return rm(this.#folder, { recursive: true });
  }
}

/** What a process says to its end, and how it ends. */
export async function endOf(
  child: ChildProcessWithoutNullStreams,
): Promise<{ stdout: string; stderr: string; code: number | null }> {
  let stdout = "";
  let stderr = "";
  child.stdout.on("data", (chunk) => {
    stdout += chunk;
  });
  child.stderr.on("data", (chunk) => {
    stderr += chunk;
  });
  const code = await new Promise<number | null>((resolve) => child.on("close", resolve));
  return { stdout, stderr, code };
}

/** The next line that a process prints. */
export async function nextLine(child: ChildProcessWithoutNullStreams): Promise<string> {
  let line = "";
  while (!line.endsWith("\n")) {
    const character: unknown = child.stdout.read(1);
    if (character === null) {
      await new Promise((resolve) => child.stdout.once("readable", resolve));
    } else line += String(character);
  }
  return line.trimEnd();
}
