import { expect, test } from "vitest";
import { HistorySigns } from "../../src/cli/history-signs.ts";

test.each([
  ['{"messages":[]}', true],
  ['{"input":[{"role":"user"}]}', true],
  ['{"input" : \n [ {}]}', true],
  ['{"input":"Hi","tools":[]}', true],
  ['{"input":"Hi","previous_response_id":"r"}', true],
  ['{"input":"Hi","conversation":"c"}', true],
  ['{"prompt":{"id":"p"},"input":"Hi"}', true],
  ['{"items":[{"type":"message"}]}', true],
  // Embeddings.
  ['{"input":"Hi","model":"m"}', false],
  ['{"input":["Hi","you"]}', false],
  ['{"input":[1,2]}', false],
  ['{"input":"\\"messages\\""}', false],
  ["", false],
])("%s: %s, however it is cut", (text, expected) => {
  const bytes = Buffer.from(text);
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const signs = new HistorySigns();
    signs.look(bytes.subarray(0, cut));
    signs.look(bytes.subarray(cut));
    expect(signs.areSeen).toBe(expected);
  }
  const signs = new HistorySigns();
  for (const byte of bytes) signs.look(Buffer.from([byte]));
  expect(signs.areSeen).toBe(expected);
});
