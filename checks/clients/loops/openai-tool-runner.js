import OpenAI from "openai";
import { ResponsesToolRunner } from "openai/helpers/responses-tool-runner";
import { MODEL, TOOL } from "../scenarios.js";

/** @import { Client } from "../child.js" */

/** @type {Client} */
export default {
  name: "openai `ResponsesToolRunner`",
  dialect: "responses",
  packages: ["openai"],
  without: ["users"],

  async run({ baseURL, fetch, users, isStreamed, lookUp }) {
    const client = new OpenAI({ baseURL, fetch, apiKey: "none" });
    const [content = ""] = users;
    const runner = new ResponsesToolRunner({
      functions: [
        {
          tool: { type: "function", ...TOOL, strict: true },
          execute: ({ city }) => lookUp(String(city)),
        },
      ],
    });
    const response = await runner.run(
      client,
      { model: MODEL, input: [{ role: "user", content }] },
      { stream: isStreamed },
    );
    return response.output_text;
  },
};
