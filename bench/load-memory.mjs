import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { median } from "./median.mjs";
import { runAppSim, startReceiver } from "./processes.mjs";

// Whether a load keeps its memory flat: the peak of `app-sim load` at ten times the deliveries.

const COUNTS = [100_000, 1_000_000];
/** Of which the median counts: when memory is given back is a matter of chance. */
const RUNS = 3;
const LARGEST_RATIO = 1.3;

const directory = mkdtempSync(path.join(tmpdir(), "app-sim-bench-"));
const receiver = await startReceiver();
try {
  const peaks = [];
  process.stdout.write("deliveries   seconds   peak memory of app-sim\n");
  for (const count of COUNTS) {
    const runs = [];
    for (let run = 0; run < RUNS; run++) runs.push(await measure(count));
    const [seconds, peak] = [median(runs.map((run) => run.seconds)), median(runs.map((run) => run.peak))];
    const columns = [count.toLocaleString("en-US").padEnd(10), seconds.toFixed(1).padStart(9)];
    process.stdout.write(`${columns.join("  ")}   ${(peak / 1024).toFixed(0)} MiB\n`);
    peaks.push(peak);
  }
  const [few = 0, many = 0] = peaks;
  const ratio = many / few;
  process.stdout.write(`ratio ${ratio.toFixed(2)}, at most ${LARGEST_RATIO}\n`);
  process.exitCode = ratio > LARGEST_RATIO ? 1 : 0;
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
  const { stdout, peak } = await runAppSim(["load", ...options, ...where]);
  const { acknowledged, seconds } = JSON.parse(stdout);
  if (acknowledged !== count) throw new Error(`${acknowledged} of ${count} were acknowledged`);
  return { seconds, peak };
}
