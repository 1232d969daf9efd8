export const user = { role: "user", content: "Hi" };
export const asks = (...list: readonly (readonly [id: string, name?: string])[]) => ({
  role: "assistant",
  content: null,
  reasoning_content: "Think.",
  tool_calls: list.map(([id, name]) => ({
    id,
    type: "function",
    function: { name, arguments: "{}" },
    extra_content: { signature: id },
  })),
});
export const result = (id: string) => ({ role: "tool", tool_call_id: id, name: "f", content: id });

/** An assistant message of the messages dialect, with text before its calls. */
export const uses = (...list: readonly (readonly [id: string, name: string])[]) => ({
  role: "assistant",
  content: [
    { type: "text", text: "Let me see." },
    ...list.map(([id, name]) => ({ type: "tool_use", id, name, input: {} })),
  ],
});

/** A user message of the messages dialect, with text behind its results. */
export const answers = (...ids: readonly string[]) => ({
  role: "user",
  content: [
    ...ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: id })),
    { type: "text", text: "Go on." },
  ],
});

/** A turn in which the server ran a tool itself. */
export const searched = {
  role: "assistant",
  content: [
    { type: "server_tool_use", id: "srvtoolu_1", name: "search", input: {} },
    { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
    { type: "text", text: "Found." },
  ],
};
