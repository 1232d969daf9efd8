import { expect, test } from "vitest";
import { TextBuffer } from "../src/text-buffer.ts";

test("TextBuffer joins what was appended, beyond one block too", () => {
  const buffer = new TextBuffer();
  let expected = "";
  for (let number = 0; number < 3000; number += 1) {
    buffer.append(`${number},`);
    expected += `${number},`;
  }
  expect(buffer.length).toBe(expected.length);
  expect(buffer.toString()).toBe(expected);
  buffer.append("end");
  expect(buffer.toString()).toBe(`${expected}end`);
});
