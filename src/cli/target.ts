import { lookup } from "node:dns/promises";
import { isIP, type AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";

/**
 * The path and the query that the server is asked for.
 *
 * @param base the path of the target, without a slash at its end
 * @param requested what the first line of the request asks for
 * @returns `undefined` where its dots lead out of the base path
 */
export function pathBehind(base: string, requested: string): string | undefined {
  let path = originForm(requested);
  // Both the target and the client's base URL end in `/v1`: no API has it twice.
  const version = /\/v\d\w*$/.exec(base)?.[0] ?? "";
  if (
    version !== "" &&
    /^(?:$|[/?])/.test(path.slice(version.length)) &&
    path.startsWith(version)
  ) {
    path = path.slice(version.length);
  }
  return base !== "" && leavesBase(path) ? undefined : base + path;
}

/** The path and the query. A client that uses us as a forward proxy sends a whole URL. */
function originForm(requested: string): string {
  const path = requested.replace(/^[a-z]+:\/\/[^/?]*/i, "");
  // `OPTIONS *` is about the server.
  return path.startsWith("/") ? path : `/${path.replace("*", "")}`;
}

/** Reads the path in every way that some server reads it: escapes, backslashes, `..;`, `//` as `/`. */
function leavesBase(path: string): boolean {
  const [written = ""] = path.split("?");
  const read = written.replaceAll(/%2e/gi, ".").replaceAll(/%2f|%5c|\\/gi, "/");
  let depth = 0;
  for (const segment of read.split("/")) {
    const [name] = segment.split(";");
    if (name === "..") depth -= 1;
    else if (name !== "" && name !== ".") depth += 1;
    if (depth < 0) return true;
  }
  return false;
}

/** Whether the address is of this machine alone. */
export function isLoopback(host: string): boolean {
  const address = plain(host);
  return /(?:^|\.)localhost\.?$/i.test(address) || address === "::1" || isLoopback4(address);
}

function isLoopback4(address: string): boolean {
  return isIP(address) === 4 && address.startsWith("127.");
}

/** Whether a server at `own` would send its requests to itself. */
export async function leadsBack(target: URL, own: AddressInfo): Promise<boolean> {
  const port = target.port === "" ? { "http:": 80, "https:": 443 }[target.protocol] : target.port;
  if (Number(port) !== own.port) return false;
  // A name that cannot be resolved leads nowhere.
  const found = await lookup(plain(target.hostname), { all: true }).catch(() => []);
  const isOwn = ownAddresses(plain(own.address));
  return found.some(({ address }) => isOwn(plain(address)));
}

/** @param listening the address that is listened on */
function ownAddresses(listening: string): (address: string) => boolean {
  // To connect to "every address" is to connect to this machine.
  const isThis = (address: string): boolean => isEvery(address) || address === listening;
  if (!isEvery(listening)) return isThis;
  const addresses = Object.values(networkInterfaces()).flatMap((list = []) => list);
  const local = new Set(addresses.map(({ address }) => plain(address)));
  return (address) => isThis(address) || isLoopback(address) || local.has(address);
}

function isEvery(address: string): boolean {
  return address === "0.0.0.0" || address === "::";
}

/** Without brackets, and of IPv4 where an address of IPv6 stands for one: `::ffff:7f00:1`. */
function plain(host: string): string {
  const address = host.replace(/^\[(.*)\]$/, "$1").replace(/^::ffff:(?=\d+\.)/i, "");
  const [, high, low] = /^::ffff:([\da-f]{1,4}):([\da-f]{1,4})$/i.exec(address) ?? [];
  if (high === undefined || low === undefined) return address;
  const words = [high, low].map((word) => Number.parseInt(word, 16));
  return words.flatMap((word) => [word >> 8, word & 0xff]).join(".");
}
