import { MemorySaver } from "@langchain/langgraph";
import { createReactAgent } from "@langchain/langgraph/prebuilt";
import { converse, modelOf, toolsOf } from "../drivers/langchain.js";

/** @import { Client } from "../child.js" */

/** @type {Client} */
export default {
  name: "LangGraph `createReactAgent`",
  dialect: "chat",
  packages: ["@langchain/langgraph", "@langchain/openai"],
  without: [],
  run: (run) =>
    converse(
      createReactAgent({
        llm: modelOf(run),
        tools: toolsOf(run),
        checkpointSaver: new MemorySaver(),
      }),
      run,
    ),
};
