// @ts-check
// The least that a proxy in Node can be: it pipes both ways and looks at nothing.

import { createServer, request } from "node:http";

/** @import { AddressInfo } from "node:net" */

const target = process.argv[2] ?? "";
const server = createServer((incoming, outgoing) => {
  const { method = "GET", url = "/", headers } = incoming;
  const forwarded = request(`${target}${url}`, { method, headers, agent: false }, (response) => {
    outgoing.writeHead(response.statusCode ?? 0, response.headers).flushHeaders();
    response.pipe(outgoing);
  });
  incoming.pipe(forwarded);
});
server.listen(0, "127.0.0.1", () => {
  const { port } = /** @type {AddressInfo} */ (server.address());
  process.send?.(`http://127.0.0.1:${port}`);
});
