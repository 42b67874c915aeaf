import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { median } from "./median.mjs";
import { runAppSim, startReceiver } from "./processes.mjs";

// Whether a load keeps its memory flat: the peak of `app-sim load`, and its heap after a collection at the end, at ten
// times the deliveries.

const COUNTS = [100_000, 1_000_000];
/** Of which the median counts: when memory is given back is a matter of chance. */
const RUNS = 3;
const LARGEST_RATIO = 1.3;

const directory = mkdtempSync(path.join(tmpdir(), "app-sim-bench-"));
const receiver = await startReceiver();
try {
  const peaks = [];
  const heaps = [];
  process.stdout.write("deliveries   seconds   peak memory of app-sim   heap at the end\n");
  for (const count of COUNTS) {
    const runs = [];
    for (let run = 0; run < RUNS; run++) runs.push(await measure(count));
    const seconds = median(runs.map((run) => run.seconds));
    const peak = median(runs.map((run) => run.peak));
    const heap = median(runs.map((run) => run.heap));
    const columns = [
      count.toLocaleString("en-US").padEnd(10),
      seconds.toFixed(1).padStart(9),
      ` ${(peak / 1024).toFixed(0)} MiB`.padEnd(23),
      `${(heap / 1024).toFixed(1)} MiB`,
    ];
    process.stdout.write(`${columns.join("  ")}\n`);
    peaks.push(peak);
    heaps.push(heap);
  }
  const ratios = [peaks, heaps].map(([few = 0, many = 0]) => many / few);
  const shown = ratios.map((ratio) => ratio.toFixed(2)).join(" and ");
  process.stdout.write(`ratios ${shown}, at most ${LARGEST_RATIO}\n`);
  process.exitCode = ratios.every((ratio) => ratio <= LARGEST_RATIO) ? 0 : 1;
} finally {
  await receiver.close();
  rmSync(directory, { recursive: true, force: true });
}

/**
 * One load.
 * @param {number} count of deliveries
 */
async function measure(count) {
  const options = ["--count", String(count), "--seed", "1", "--format", "json"];
  const where = ["--app", receiver.url, "--journal", path.join(directory, "journal")];
  const { stdout, peak, heap } = await runAppSim(["load", ...options, ...where]);
  const { acknowledged, seconds } = JSON.parse(stdout);
  if (acknowledged !== count) throw new Error(`${acknowledged} of ${count} were acknowledged`);
  return { seconds, peak, heap };
}
