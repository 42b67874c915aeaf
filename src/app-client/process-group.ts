import type { ChildProcess } from "node:child_process";
import { platform as system } from "node:process";

/** Whether the system has process groups that a signal can be sent to. */
export const hasGroups = system !== "win32";

/** Sends a signal to a process and, if it leads a group of its own, to all processes that it started. */
export function signalProcess(child: ChildProcess, signal: NodeJS.Signals, leadsGroup: boolean): void {
  try {
    if (leadsGroup && child.pid !== undefined) process.kill(-child.pid, signal);
    else child.kill(signal);
  } catch {
    // It has ended already.
  }
}
