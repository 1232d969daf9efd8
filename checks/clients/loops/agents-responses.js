import { OpenAIResponsesModel } from "@openai/agents";
import OpenAI from "openai";
import { MODEL } from "../scenarios.js";
import { runAgent } from "../drivers/agents.js";

/** @import { Client } from "../child.js" */

/** @type {Client} */
export default {
  name: "@openai/agents",
  dialect: "responses",
  packages: ["@openai/agents"],
  without: [],
  run(settings) {
    const { baseURL, fetch } = settings;
    const client = new OpenAI({ baseURL, fetch, apiKey: "none" });
    return runAgent(new OpenAIResponsesModel(client, MODEL), settings);
  },
};
