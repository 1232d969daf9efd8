// @ts-check
// One measurement of cold.js, in milliseconds of processor time.

import { CHUNKINGS, firstBody } from "./bodies.js";
import { FloorStream } from "./floor.js";
import { readThrough } from "./read.js";

function now() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const [contender = "", subject = ""] = process.argv.slice(2);
if (contender === "import") {
  const start = now();
  await import(subject);
  console.log(now() - start);
} else {
  const dialect = /** @type {import("./bodies.js").DialectName} */ (subject);
  const chunks = CHUNKINGS["1.4 KB"]?.(firstBody(dialect).events) ?? [];
  const { ToolCallStream, UniqueToolCallIdStream } = await import("toolcall-stream");
  // Node loads its streams where they are first asked for: that is not ours.
  await readThrough(chunks.slice(0, 1), new TransformStream());
  const start = now();
  let stream = /** @type {TransformStream} */ (new FloorStream(dialect));
  if (contender === "ToolCallStream") stream = new ToolCallStream();
  if (contender === "UniqueToolCallIdStream") stream = new UniqueToolCallIdStream();
  await readThrough(chunks, stream);
  console.log(now() - start);
}
