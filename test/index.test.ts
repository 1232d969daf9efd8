import { expect, test } from "vitest";
import * as library from "../src/index.ts";

test("the public names are these, and no others", () => {
  expect(Object.keys(library).sort()).toEqual([
    "ChatEventStream",
    "ToolCallAssembler",
    "ToolCallStream",
    "ToolCallStreamError",
    "UniqueToolCallIdStream",
    "collect",
    "findPairingFaults",
    "kimiK2ToolCallIds",
    "mapToolCallIds",
    "mendHistory",
    "toolResult",
    "turnMessages",
    "uniqueToolCallIds",
  ]);
});
