import type { ProgressDisplay } from "../output/progress.ts";
import { tellWarning } from "../output/tell.ts";
import type { SimulatorFace } from "../platform/simulator-options.ts";
import type { Invocation } from "./invocation.ts";

/** `--wait`: waits until the app listens, and warns if it does not. */
export async function waitForApp(
  invocation: Invocation,
  simulator: Pick<SimulatorFace, "waitForApp">,
  progress: ProgressDisplay,
): Promise<void> {
  const { waitMs, signal } = invocation;
  if (waitMs === 0) return;
  progress.started("waiting for the app to listen", waitMs);
  const listens = await simulator.waitForApp(waitMs).finally(progress.stop);
  if (!listens && !signal.aborted) tellWarning(invocation, `the app did not listen within ${waitMs / 1000} s`);
}
