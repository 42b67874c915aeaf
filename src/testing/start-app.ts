import { spawn } from "node:child_process";
import { once } from "node:events";
// A test of the app runs in its owner's process, whose environment the app needs as well.
import { env } from "node:process";
import { systemClock } from "../app-client/ports.ts";
import { hasGroups, signalProcess } from "../app-client/process-group.ts";
import { listens } from "../app-client/wait-for-app.ts";
import type { SimulatorFace } from "../platform/simulator-options.ts";

/** An app that needs a build takes its time. */
const START_MS = 60_000;
/** Of what the app printed, for the message of one that does not start. */
const KEPT_CHARACTERS = 2000;
/** Between the request to end and the end by force. */
const GRACE_MS = 3000;

/**
 * Starts the app with a command line of the shell, and waits until it listens.
 * @returns what stops it, and all that it started
 * @throws Error when something listens already, or the app does not within a minute
 */
export async function startAppBy(
  commandLine: string,
  simulator: Pick<SimulatorFace, "config" | "env" | "waitForApp">,
): Promise<() => Promise<void>> {
  const url = simulator.config.apps[0]?.url ?? "";
  if (await listens(url)) {
    throw new Error(`something listens at ${url} already: end it, or leave out start: ${JSON.stringify(commandLine)}`);
  }
  const app = spawn(commandLine, {
    shell: true,
    // A group of its own: a shell does not pass on the signal that ends it.
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
    await ended;
  };
  const isUp = await Promise.race([simulator.waitForApp(START_MS), ended.then(() => false)]);
  if (isUp) return stop;
  await stop();
  const code = app.exitCode === null ? `does not listen at ${url}` : `ended with exit code ${app.exitCode}`;
  throw new Error(`the app, started with ${JSON.stringify(commandLine)}, ${code}\n${printed}`);
}
