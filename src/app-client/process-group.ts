import { type ChildProcess, spawnSync } from "node:child_process";
import { platform as system } from "node:process";

/** Whether the system has process groups that a signal can be sent to. */
export const hasGroups = system !== "win32";

/** The command that ends a process and everything it started, on a system where no signal does; null elsewhere. */
export function treeKill(on: NodeJS.Platform, pid: number): [program: string, args: string[]] | null {
  return on === "win32" ? ["taskkill", ["/pid", String(pid), "/T", "/F"]] : null;
}

/**
 * Sends a signal to a process and, if it leads a group of its own, to all processes that it started. Windows has no
 * signals: there, any of them ends the process and everything it started, such as the app that `npm.cmd` runs.
 */
export function signalProcess(child: ChildProcess, signal: NodeJS.Signals, leadsGroup: boolean): void {
  const { pid } = child;
  if (pid === undefined) return;
  const command = treeKill(system, pid);
  try {
    if (command !== null) endTree(child, command);
    else if (leadsGroup) process.kill(-pid, signal);
    else child.kill(signal);
  } catch {
    // It has ended already.
  }
}

function endTree(child: ChildProcess, [program, args]: [program: string, args: string[]]): void {
  // The number of a process that has ended may belong to another by now.
  if (child.exitCode !== null || child.signalCode !== null) return;
  const { status } = spawnSync(program, args, { stdio: "ignore", windowsHide: true });
  if (status !== 0) child.kill();
}
