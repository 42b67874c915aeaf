import { startSimulator } from "../dist/index.js";
import { startReceiver } from "./processes.mjs";

// Whether an open loop keeps its rate where the app keeps up.

const RATES = [50, 500, 5000];
const SECONDS = 10;
const LARGEST_DIFFERENCE = 0.01;

const receiver = await startReceiver();
const simulator = await startSimulator({ app: { url: receiver.url }, listen: "when-needed" });
try {
  process.stdout.write("asked      achieved      difference   p99 from when due\n");
  for (const rate of RATES) {
    const result = await simulator.load("project.translated", { rate, durationMs: SECONDS * 1000, seed: 1 });
    const difference = Math.abs(result.rate / rate - 1);
    const isHeld = difference <= LARGEST_DIFFERENCE && result.acknowledged === rate * SECONDS;
    const columns = [
      `${rate}/s`.padEnd(8),
      `${result.rate.toFixed(1)}/s`.padStart(11),
      `${(difference * 100).toFixed(2)} %`.padStart(13),
      `${result.latency?.p99.toFixed(1)} ms`.padStart(18),
    ];
    process.stdout.write(`${columns.join("  ")}\n`);
    if (!isHeld) process.exitCode = 1;
  }
  process.stdout.write(`at most ${LARGEST_DIFFERENCE * 100} %, and every delivery acknowledged\n`);
} finally {
  await simulator.close();
  await receiver.close();
}
