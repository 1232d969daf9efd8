const messages = [
  { role: "user", content: "Is the sun up?" },
  {
    role: "assistant",
    content: null,
    tool_calls: [
      { id: "call_1", type: "function", function: { name: "get_sun", arguments: "{}" } },
      { id: "call_2", type: "function", function: { name: "get_time", arguments: "{}" } },
    ],
  },
  { role: "tool", tool_call_id: "call_2", content: "11:19" },
];
// #region readme
import { findPairingFaults, kimiK2ToolCallIds, mapToolCallIds } from "toolcall-stream";

console.log(findPairingFaults(messages)); // what a strict server would reject
console.log(kimiK2ToolCallIds(messages)[2]); // Kimi K2 was trained on these ids
console.log(mapToolCallIds(messages, ({ number }) => `${number}`.padStart(9, "0"))[2]); // Mistral
console.log(mapToolCallIds(messages, ({ number }) => `call_${number}`)[2]); // OpenAI: at most 40
// #endregion
