import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeDirectory } from "../journal/make-directory.ts";

/** A platform that stays up, as other commands find it: by the directory of its journal and its port. */
export interface RunningPlatform {
  /** What keeps it up. */
  readonly command: "serve" | "exec";
  /** Without a trailing slash. */
  readonly url: string;
  readonly pid: number;
  /** What whoever steers it has to know; a secret. */
  readonly controlToken: string;
}

/** The file of a running platform. */
export function runningPlatformPath(directory: string, port: number): string {
  return join(directory, `serve-${port}.json`);
}

/**
 * Says in a directory that a platform runs at this port (0600, because whoever reads it can steer the platform).
 * What is already there is of a platform that ended without taking it away: two cannot have one port.
 * @throws the system's error where the directory cannot be written
 */
export function announcePlatform(directory: string, port: number, platform: RunningPlatform): void {
  makeDirectory(directory);
  const path = runningPlatformPath(directory, port);
  // Not written over: that would keep the mode of what is there, and follow it where it is a link.
  rmSync(path, { force: true });
  writeFileSync(path, `${JSON.stringify(platform)}\n`, { mode: 0o600, flag: "wx" });
}

/** Takes back what was announced; while its platform still has the port, so that it can be no other's. */
export function withdrawPlatform(directory: string, port: number): void {
  try {
    rmSync(runningPlatformPath(directory, port), { force: true });
  } catch {
    // The directory cannot be written any more: whoever asks there finds out that nothing answers.
  }
}

/** What was announced for this port; null: nothing that can be read. */
export function findPlatform(directory: string, port: number): RunningPlatform | null {
  try {
    const value: unknown = JSON.parse(readFileSync(runningPlatformPath(directory, port), "utf8"));
    return isRunningPlatform(value) ? value : null;
  } catch {
    return null;
  }
}

/** The ports that were announced in this directory. */
export function announcedPorts(directory: string): number[] {
  try {
    return readdirSync(directory).flatMap((name) => {
      const port = /^serve-(\d+)\.json$/.exec(name)?.[1];
      return port === undefined ? [] : [Number(port)];
    });
  } catch {
    return [];
  }
}

/** Whether its process is still there; one that was killed cannot take back what it announced. */
export function isAlive({ pid }: RunningPlatform): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    // It is there, and another user's.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function isRunningPlatform(value: unknown): value is RunningPlatform {
  if (typeof value !== "object" || value === null) return false;
  const { command, url, pid, controlToken } = value as Partial<Record<string, unknown>>;
  if (command !== "serve" && command !== "exec") return false;
  // Whoever can write this file must not send the commands elsewhere (hardening S28).
  const isOwn = typeof url === "string" && /^http:\/\/127\.0\.0\.1:\d+$/.test(url);
  return isOwn && Number.isSafeInteger(pid) && typeof controlToken === "string" && /^[\w-]+$/.test(controlToken);
}
