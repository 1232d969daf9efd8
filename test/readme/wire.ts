import { headers, request, url } from "./setup.ts";

const body = JSON.stringify({ ...request, stream: true });
// #region readme
import { uniqueToolCallIds } from "toolcall-stream";

const fetch = uniqueToolCallIds(); // in an SDK: new OpenAI({ fetch: uniqueToolCallIds() })
const response = await fetch(url, { method: "POST", headers, body });
console.log((await response.text()).match(/"id":"call_\w+"/g)); // not "get_sun:0" in every turn
// #endregion
