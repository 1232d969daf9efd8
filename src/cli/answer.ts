import type { IncomingMessage, ServerResponse } from "node:http";
import type { WireRequest } from "../fetch/wire-ids.ts";
import { IdRewriter } from "../wire/id-rewriter.ts";
import { resolveWireOptions, type ToolCallRename } from "../wire/wire-options.ts";
import { codingsOf } from "./content-coding.ts";
import { errorOf } from "./error-code.ts";
import { hasKnownFraming, headerOf, passedHeaders } from "./headers.ts";
import { passBody } from "./pass-body.ts";

/** These have no body, whatever their headers say. */
const BODILESS_STATUSES: ReadonlySet<number> = new Set([204, 304]);

/**
 * Sends an answer on, with unique ids.
 *
 * @param onRename sees its calls
 * @returns see {@link passBody}
 * @throws before anything is sent, where it is no answer that can be sent on
 */
export function sendAnswer(
  wire: WireRequest,
  answer: IncomingMessage,
  outgoing: ServerResponse,
  onRename: (rename: ToolCallRename) => void,
): Promise<string | undefined> {
  const { statusCode: status = 0, statusMessage = "", rawHeaders } = answer;
  if (!hasKnownFraming(rawHeaders)) throw errorOf("UNKNOWN_TRANSFER_ENCODING");
  const codings = codingsOf(headerOf(rawHeaders, "content-encoding"));
  const head = {
    ok: status >= 200 && status < 300,
    contentType: headerOf(rawHeaders, "content-type"),
  };
  const isBodiless =
    outgoing.req.method === "HEAD" ||
    BODILESS_STATUSES.has(status) ||
    headerOf(rawHeaders, "content-length") === "0";
  const options = isBodiless || codings === undefined ? undefined : wire.answer(head, onRename);
  const rewriter = options && new IdRewriter(resolveWireOptions(options));
  // What passes as it is stays compressed.
  const undone = (rewriter && codings) ?? [];
  const dropped = [
    ...(rewriter === undefined ? [] : ["content-length"]),
    ...(undone.length === 0 ? [] : ["content-encoding"]),
  ];
  outgoing.sendDate = false;
  outgoing.writeHead(status, statusMessage, passedHeaders(rawHeaders, dropped));
  // The first event may take its time, and clients wait for the headers. Node's own way to flush them
  // would write them as UTF-8.
  outgoing.write(new Uint8Array(0));
  return passBody(answer, outgoing, rewriter, undone);
}
