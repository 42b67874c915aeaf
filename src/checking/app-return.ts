import type { Clock } from "../app-client/ports.ts";
import { waitUntilListening } from "../app-client/wait-for-app.ts";

/** Whether something listens at an app's URL, after waiting until somebody has restarted the app. */
export type AppReturn = (url: string) => Promise<boolean>;

/**
 * Waits for apps that a check brought down. If nobody restarts one in time, nothing waits for it again.
 * @param waitMs milliseconds to wait
 */
export function appReturn(waitMs: number, clock: Clock, signal: AbortSignal | undefined): AppReturn {
  const waits = new Map<string, Promise<boolean>>();
  const lost = new Set<string>();
  return async (url) => {
    const wait = waits.get(url) ?? waitUntilListening(url, lost.has(url) ? 0 : waitMs, clock, signal);
    waits.set(url, wait);
    const isThere = await wait.finally(() => waits.delete(url));
    if (isThere) lost.delete(url);
    else lost.add(url);
    return isThere;
  };
}
