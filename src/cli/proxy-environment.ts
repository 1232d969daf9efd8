import { isLoopback } from "./target.ts";
import type { Environment } from "./upstream.ts";

/** This flag came to Node with `proxyEnv`: in 24.5, and in 22.21. */
const CAN_READ = process.allowedNodeEnvironmentFlags.has("--use-env-proxy");

/** The way to the server that the environment asks for. */
export interface ProxyEnvironment {
  /** Where it names a proxy for the target: all of it, for Node to read. */
  readonly environment?: Environment;
  /** Why it is not heeded. */
  readonly warning?: string;
}

/** @param canRead whether Node can read it */
export function proxyEnvironmentFor(
  target: URL,
  environment: Environment,
  canRead: boolean = CAN_READ,
): ProxyEnvironment {
  const name = target.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const value = environment[name.toLowerCase()] ?? environment[name] ?? "";
  // No proxy elsewhere finds a server that only this machine reaches.
  if (value === "" || isLoopback(target.hostname)) return {};
  if (canRead) return { environment };
  const needed = `Node 24.5 (or 22.21) can, and this is ${process.version}`;
  return { warning: `Cannot use ${name}: ${needed}. Requests go to the server directly` };
}
