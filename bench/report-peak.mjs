import { writeSync } from "node:fs";

/**
 * Loaded before a program: when that ends, its peak of memory, and the heap that is still in use after a collection,
 * both in KiB, are written to descriptor 3.
 */
process.on("exit", () => {
  const peak = process.resourceUsage().maxRSS;
  globalThis.gc?.();
  writeSync(3, `${peak} ${Math.round(process.memoryUsage().heapUsed / 1024)}`);
});
