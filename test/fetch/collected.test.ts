import { setImmediate } from "node:timers/promises";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { uniqueToolCallIds } from "../../src/index.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const fetch = uniqueToolCallIds(
  async () => new Response("data: 1\n\n", { headers: { "content-type": "text/event-stream" } }),
);

test.each(["a clone", "a clone of a clone"])(
  "the body of %s outlives the original",
  async (name) => {
    const clone = await (async () => {
      const first = (await fetch("https://api.example/")).clone();
      return name === "a clone" ? first : first.clone();
    })();
    for (let round = 0; round < 5; round += 1) {
      collectGarbage();
      await setImmediate();
    }
    expect(await clone.text()).toBe("data: 1\n\n");
  },
);
