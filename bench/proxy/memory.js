// @ts-check
// Loaded into the process of the proxy: says what memory it takes, when it is asked.

process.on("message", () => {
  globalThis.gc?.();
  globalThis.gc?.();
  process.send?.(process.memoryUsage());
});
