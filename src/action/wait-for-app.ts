import type { ProgressDisplay } from "../output/progress.ts";
import type { SimulatorFace } from "../platform/simulator-options.ts";
import type { Invocation } from "./invocation.ts";

/** `--wait`: waits until the app listens, and warns where it does not. */
export async function waitForApp(
  { waitMs, err, signal }: Invocation,
  simulator: Pick<SimulatorFace, "waitForApp">,
  progress: ProgressDisplay,
): Promise<void> {
  if (waitMs === 0) return;
  progress.started("waiting for the app to listen", waitMs);
  const listens = await simulator.waitForApp(waitMs).finally(progress.stop);
  if (!listens && !signal.aborted) err(`warning: the app did not listen within ${waitMs / 1000} s\n`);
}
