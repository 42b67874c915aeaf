import { spawn } from "node:child_process";
import { once } from "node:events";
// The app's tests run in their owner's process, and the app needs its environment as well.
import { env } from "node:process";
import { systemClock } from "../app-client/ports.ts";
import { hasGroups, signalProcess } from "../app-client/process-group.ts";
import { listens } from "../app-client/wait-for-app.ts";
import type { SimulatorFace } from "../platform/simulator-options.ts";

/** An app that needs a build takes its time. */
const START_MS = 60_000;
/** How much of the app's output is kept, for the message if it does not start. */
const KEPT_CHARACTERS = 2000;
/** Time between the request to end and the end by force. */
const GRACE_MS = 3000;

/**
 * Starts the app with a shell command line, and waits until it listens.
 * @returns a function that stops it and everything it started
 * @throws Error if something listens already, or the app does not within a minute
 */
export async function startAppBy(
  commandLine: string,
  simulator: Pick<SimulatorFace, "config" | "env" | "waitForApp">,
): Promise<() => Promise<void>> {
  const url = simulator.config.apps[0]?.url ?? "";
  if (await listens(url)) {
    throw new Error(`something already listens at ${url}: end it, or leave out start: ${JSON.stringify(commandLine)}`);
  }
  const app = spawn(commandLine, {
    shell: true,
    // A process group of its own: a shell does not pass on the signal that ends it.
    detached: hasGroups,
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...env, ...simulator.env() },
  });
  let printed = "";
  for (const stream of [app.stdout, app.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      printed = (printed + text).slice(-KEPT_CHARACTERS);
    });
  }
  const ended = once(app, "close");
  const kill = (signal: NodeJS.Signals) => signalProcess(app, signal, hasGroups);
  const stop = async () => {
    kill("SIGTERM");
    const grace = new AbortController();
    await Promise.race([ended, systemClock.pause(GRACE_MS, grace.signal)]);
    grace.abort();
    kill("SIGKILL");
    // A process that left the group may still hold its end of them.
    for (const stream of [app.stdout, app.stderr]) stream.destroy();
    await ended;
  };
  const isUp = await Promise.race([simulator.waitForApp(START_MS), ended.then(() => false)]);
  if (isUp) return stop;
  await stop();
  const code = app.exitCode === null ? `does not listen at ${url}` : `ended with exit code ${app.exitCode}`;
  throw new Error(`the app, started with ${JSON.stringify(commandLine)}, ${code}\n${printed}`);
}
