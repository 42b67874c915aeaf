import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { writeJob } from "./import-job.mjs";
import { median } from "./median.mjs";
import { freePort, runAppSim, startSampleApp } from "./processes.mjs";

// Whether an import by URL keeps its memory flat: the peak of `app-sim post-import` at ten times the strings.

const COUNTS = [100_000, 1_000_000];
/** Of which the median counts: when memory is given back is a matter of chance. */
const RUNS = 3;
const LARGEST_RATIO = 1.3;

const directory = mkdtempSync(path.join(tmpdir(), "app-sim-bench-"));
const platformPort = await freePort();
const app = await startSampleApp(await freePort(), `http://127.0.0.1:${platformPort}`);
try {
  const config = path.join(directory, "config.json");
  writeFileSync(config, JSON.stringify({ port: platformPort, app: { url: app.url } }));
  const peaks = [];
  process.stdout.write("strings      seconds   peak memory of app-sim\n");
  for (const count of COUNTS) {
    const { job } = await writeJob(directory, count);
    const runs = [];
    for (let run = 0; run < RUNS; run++) runs.push(await measure(job, count, config));
    const [seconds, peak] = [median(runs.map((run) => run.seconds)), median(runs.map((run) => run.peak))];
    const columns = [count.toLocaleString("en-US").padEnd(11), seconds.toFixed(1).padStart(8)];
    process.stdout.write(`${columns.join("  ")}   ${(peak / 1024).toFixed(0)} MiB\n`);
    peaks.push(peak);
  }
  const [few = 0, many = 0] = peaks;
  const ratio = many / few;
  process.stdout.write(`ratio ${ratio.toFixed(2)}, at most ${LARGEST_RATIO}\n`);
  process.exitCode = ratio > LARGEST_RATIO ? 1 : 0;
} finally {
  await app.close();
  rmSync(directory, { recursive: true, force: true });
}

/**
 * One import by URL.
 * @param {string} job
 * @param {number} count how many strings it has
 * @param {string} config
 */
async function measure(job, count, config) {
  const began = performance.now();
  const options = [
    "--via",
    "url",
    "--format",
    "json",
    "--config",
    config,
    "--journal",
    path.join(directory, "journal"),
  ];
  const { stdout, peak } = await runAppSim(["post-import", job, ...options]);
  const [imported] = JSON.parse(stdout).jobs;
  if (imported.outcome !== "imported" || imported.received.strings !== count) throw new Error(imported.error);
  return { seconds: (performance.now() - began) / 1000, peak };
}
