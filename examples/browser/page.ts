// Shows each call as it grows, and the moment it is complete.

import { type ChatStreamEvent, ChatEventStream } from "toolcall-stream";
import { definitions as tools } from "../../demo/tools.js";

const [form] = document.forms;
const thoughts = document.querySelector("p");
const calls = document.querySelector("ol");
if (!form || !thoughts || !calls) throw new Error("The page is not whole");

form.addEventListener("submit", async (submit) => {
  submit.preventDefault();
  thoughts.replaceChildren();
  calls.replaceChildren();
  const start = performance.now();
  const messages = [{ role: "user", content: new FormData(form).get("question") }];
  const response = await fetch("model/chat/completions", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ model: "moonshotai/Kimi-K3", messages, tools, stream: true }),
  });
  if (!response.ok || !response.body) throw new Error(`HTTP ${response.status}`);
  for await (const event of response.body.pipeThrough(new ChatEventStream())) show(event, start);
});

/** The id of a call is unique, so it can be the id of an element. */
function show(event: ChatStreamEvent, start: number): void {
  if (event.type === "reasoning" || event.type === "text") thoughts?.append(event.text);
  else if (event.type === "tool-call-start") {
    const card = calls?.appendChild(element("li", ""));
    card?.setAttribute("id", event.id);
    card?.append(element("strong", event.name), element("code", ""), element("small", ""));
  } else if (event.type === "tool-call-delta") {
    document.querySelector(`#${event.id} code`)?.append(event.fragment);
  } else if (event.type === "tool-call") {
    const { id, status } = event.call;
    const time = Math.round(performance.now() - start);
    document.querySelector(`#${id}`)?.classList.add(status);
    document.querySelector(`#${id} small`)?.append(`${status} after ${time} ms as ${id}`);
  }
}

function element(name: string, text: string): HTMLElement {
  return Object.assign(document.createElement(name), { textContent: text });
}

// Shows:
// get_sun{"city": "Tokyo"}
// complete after … ms as call_…
// get_time{"zone": "Asia/Tokyo"}
// complete after … ms as call_…
