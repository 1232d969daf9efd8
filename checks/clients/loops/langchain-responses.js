import { MemorySaver } from "@langchain/langgraph";
import { createAgent } from "langchain";
import { converse, modelOf, toolsOf } from "../drivers/langchain.js";

/** @import { Client } from "../child.js" */

/** @type {Client} */
export default {
  name: "LangChain `createAgent`",
  dialect: "responses",
  packages: ["langchain", "@langchain/openai"],
  without: [],
  run: (run) =>
    converse(
      createAgent({
        model: modelOf(run, { useResponsesApi: true }),
        tools: toolsOf(run),
        checkpointer: new MemorySaver(),
      }),
      run,
    ),
};
