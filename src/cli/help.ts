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
  --help      show this; after a command, what it takes
  --version   show the version

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

Options:
  --target URL        the server behind it: http or https, with or without a
                      base path, which every request path is appended to
  --port NUMBER       the port to listen on; 0 takes a free one (default: 8787)
  --host ADDRESS      the address to listen on (default: 127.0.0.1, which only
                      this machine reaches)
  --history kimi-k2   renumber the calls of every history that is sent, as
                      Kimi K2 was trained on: functions.<name>:<number>
  --help              show this

The first line on stdout says where it listens; then there is one for each
request that has ended: method, path, status, number of calls renamed. No key,
no query and no body is ever logged. SIGINT (Ctrl-C) and SIGTERM stop it, and
cut what is still open.

An unreachable server gives status 502 and
  {"error":{"type":"upstream_unreachable","message":"…"}}

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
  --events   print everything the response says, in order, one event a line:
             text, reasoning, tool-call-start, tool-call-delta, tool-call,
             finish, usage, diagnostic
  --help     show this

What is odd in the response is said on stderr, one line each.

Exit code: 0 at the end of the response, 1 when it failed (stderr says why,
every call before it has been printed), 2 for wrong arguments.

Example:
  curl -sN https://api.openai.com/v1/chat/completions \\
    -H "Authorization: Bearer $OPENAI_API_KEY" \\
    -H "Content-Type: application/json" -d @request.json \\
    | npx toolcall-stream | jq -c '[.name, .input]'
`;
