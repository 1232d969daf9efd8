const PROXY_USE = "toolcall-stream proxy --target URL [options]";
const ASSEMBLE_USE = "… | toolcall-stream [assemble] [--events]";

export const HELP: string = `Unique tool-call ids for agents, finished tool calls for shells.

Usage:
  ${PROXY_USE}
      Serve in front of an OpenAI- or Anthropic-compatible server, and give
      every tool call in its responses an id that no other call has.
  ${ASSEMBLE_USE}
      Read one streamed response, and print each tool call as a line of JSON
      as soon as it is complete.

Options:
  -h, --help      show this; after a command (or: help COMMAND), what it takes
  -v, --version   show the version

Examples:
  npx toolcall-stream proxy --target https://api.moonshot.ai
  curl -sN … | npx toolcall-stream | jq -c '[.name, .input]'
`;

export const PROXY_HELP: string = `Usage: ${PROXY_USE}

An HTTP server in front of an OpenAI- or Anthropic-compatible one, for agents
that cannot be changed. Every tool call in a response (Chat Completions,
Messages, Responses; streamed or not) is given an id that no other call has.
All else passes as it is, byte for byte and without delay: every path and
method, headers and keys, errors, redirects. Point the base URL of the agent
to it.

A WebSocket is answered 426: agents that try one first then use HTTP. What
needs one (Realtime, the WebSocket mode of Responses) must ask the server
directly.

Options:
  --target URL        the server behind it: http or https, with or without a
                      base path, which every request path is appended to; a
                      /v1 at the end of both stands there once
  --port NUMBER       the port to listen on; 0 takes a free one (default: 8787)
  --host ADDRESS      the address to listen on (default: 127.0.0.1, which only
                      this machine reaches; 0.0.0.0 is open to every other)
  --history kimi-k2   renumber the calls of every history that is sent, as
                      Kimi K2 was trained on: functions.<name>:<number>
  --max-body SIZE     how much of a request is held to be read, in B, KiB, MiB
                      or GiB (default: 64MiB). What is longer passes unread
  --grace TIME        how long open requests may go on after a signal, in ms,
                      s, m or h (default: 30s)
  --json              log for machines: a line of JSON each
  -h, --help          show this

The first line on stdout says where it listens; then there is one for each
request that has ended: time, method, path asked of the server, status and
whose it is, duration, number of calls renamed, what cut it. No key, no query
and no body is ever logged. SIGINT (Ctrl-C) and SIGTERM stop it: requests that
are open may end within the grace; a second signal cuts them.

On the way to the server, HTTPS_PROXY, HTTP_PROXY and NO_PROXY are heeded by
Node 24.5 or newer (22.21 or newer in line 22); below, a warning says so.

An unreachable server gives status 502 and
  {"error":{"type":"upstream_unreachable","message":"…"}}
Other answers of its own: 426 (see above), 421 for a Host that is not this
machine's while only this machine is served, 400 for a path that leads out of
that of the target, 501 for an unknown transfer-encoding.

Exit code: 0 when stopped, 1 when it cannot listen, 2 for wrong arguments.

Example:
  npx toolcall-stream proxy --target https://api.moonshot.ai
  OPENAI_BASE_URL=http://127.0.0.1:8787/v1 my-agent
`;

export const ASSEMBLE_HELP: string = `Usage: ${ASSEMBLE_USE}

Reads one response on stdin, streamed or as one JSON body (Chat Completions,
Messages or Responses: the first event tells), and prints each tool call as a
line of JSON the moment it is complete. Only execute a call whose "status" is
"complete": an "incomplete" one says in "error" what is wrong with it.

Options:
  --events     print everything the response says, in order, one event a line:
               text, reasoning, tool-call-start, tool-call-delta, tool-call,
               finish, usage, diagnostic
  -h, --help   show this

What is odd in the response is said on stderr, one line each.

Exit code: 0 at the end of the response, 1 when it failed (stderr says why,
every call before it has been printed), 2 for wrong arguments.

Example:
  curl -sN https://api.openai.com/v1/chat/completions \\
    -H "Authorization: Bearer $OPENAI_API_KEY" \\
    -H "Content-Type: application/json" -d @request.json \\
    | npx toolcall-stream | jq -c '[.name, .input]'
`;
