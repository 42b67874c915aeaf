import { startSimulator } from "../dist/index.js";
import { freePort, startSampleApp } from "./processes.mjs";

// How long `verify` takes for an app with everything, and how much of that time it waits for the app.

const MOST_SECONDS = 20;
const LEAST_WAITING = 0.7;

const port = await freePort();
const sim = await startSimulator({
  app: {
    url: `http://127.0.0.1:${port}`,
    clientId: "app-sim-client",
    clientSecret: "app-sim-client-secret-long-enough-for-HS256",
    appSecret: "app-sim-app-secret",
    redirectUris: [`http://127.0.0.1:${port}/oauth/callback`],
  },
});
const app = await startSampleApp(port, sim.url);
try {
  const before = process.cpuUsage();
  const started = performance.now();
  const { outcome, summary } = await sim.verify();
  const milliseconds = performance.now() - started;
  const { user, system } = process.cpuUsage(before);
  const waiting = 1 - (user + system) / 1000 / milliseconds;
  const checks = summary.passed + summary.warned + summary.failed + summary.inconclusive;
  const isSlow = milliseconds / 1000 > MOST_SECONDS;
  process.stdout.write(
    [
      `verify: ${outcome}, ${checks} checks in ${(milliseconds / 1000).toFixed(1)} s, at most ${MOST_SECONDS}${isSlow ? "  TOO SLOW" : ""}`,
      `of it waiting: ${Math.round(waiting * 100)} %, at least ${LEAST_WAITING * 100} %${waiting < LEAST_WAITING ? "  TOO BUSY" : ""}\n`,
    ].join("\n"),
  );
  process.exitCode = outcome === "passed" ? 0 : 1;
} finally {
  await app.close();
  await sim.close();
}
