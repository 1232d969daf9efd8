// What Safari before 27 does not have.
for (const [owner, key] of [
  [ReadableStream, "from"],
  [ReadableStream.prototype, "values"],
  [ReadableStream.prototype, Symbol.asyncIterator],
] as const) {
  Reflect.deleteProperty(owner, key);
  if (key in owner) throw new Error(`Cannot remove ${String(key)}: it is still there`);
}
