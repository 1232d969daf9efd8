import { expect, test } from "vitest";
import { TextBuffer } from "../../src/json/text-buffer.ts";

test("TextBuffer joins what was appended, beyond one block too", () => {
  const buffer = new TextBuffer();
  let expected = "";
  for (let number = 0; number < 3000; number += 1) {
    buffer.append(`${number},`);
    expected += `${number},`;
  }
  expect(buffer.length).toBe(expected.length);
  expect(buffer.toString()).toBe(expected);
  const long = "long ".repeat(100);
  for (const fragment of ["a", long, "b", "", long, long, "c"]) {
    buffer.append(fragment);
    expected += fragment;
  }
  expect(buffer.take()).toBe(expected);
  expect(buffer.length).toBe(0);
  expect(buffer.toString()).toBe("");
  buffer.append("again");
  expect(buffer.take()).toBe("again");
});
