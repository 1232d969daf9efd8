const call = {
  index: 0,
  id: "call_f0__thought__c2ln",
  type: "function",
  function: { name: "get_time", arguments: '{"zone":"Asia/Tokyo"}' },
};
const choice = { delta: { tool_calls: [call] }, finish_reason: "tool_calls" };
const body = new Response(`data: ${JSON.stringify({ choices: [choice] })}\n\ndata: [DONE]\n\n`)
  .body;
if (!body) throw new Error("No body");
const messages: object[] = [];
const providerIds = new Map<string, string>();
// #region readme
import { collect, mapToolCallIds, toolResult, turnMessages } from "toolcall-stream";

const completion = await collect(body);
for (const { id, providerId = id } of completion.toolCalls) providerIds.set(id, providerId);
const results = completion.toolCalls.map((each) => toolResult(each, "14:02"));
messages.push(...turnMessages(completion, results)); // under our ids
console.log(mapToolCallIds(messages, ({ id }) => providerIds.get(id) ?? id)[1]); // under the gateway's
// #endregion
