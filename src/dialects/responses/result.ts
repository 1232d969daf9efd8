import type { ResponsesResultPart, ResponsesToolOutput, ToolCall } from "../../types.ts";
import type { TurnDialect } from "../dialect.ts";
import { resultContent } from "../result-content.ts";
import { CALL_TYPES, RESULT_TYPES } from "./items.ts";

const PARTS = /^input_(text text|image (image_url|file_id)|file file_(data|id|url)) string$/;

/** The item that answers a call. */
export function writeResponsesResult(call: ToolCall, output: unknown): ResponsesToolOutput {
  return {
    type: call.type === "custom" ? "custom_tool_call_output" : "function_call_output",
    call_id: call.id,
    output: resultContent<ResponsesResultPart>(output, PARTS),
  };
}

/** Turns of OpenAI Responses. */
export const responsesTurn: TurnDialect<"responses"> = {
  resultField: "call_id",

  openIds(items) {
    // A server that runs calls itself sends their outputs as well.
    const outputs = items.filter(({ type }) => RESULT_TYPES.has(type));
    const answered = new Set(outputs.map((item) => item["call_id"]));
    const calls = items.filter(({ type }) => CALL_TYPES.has(type));
    return calls.map((item) => item["call_id"]).filter((id) => !answered.has(id));
  },

  write: (items, results) => [...items, ...results],
};
