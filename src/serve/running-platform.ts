import { lstatSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Invocation } from "../action/invocation.ts";
import type { ServerTrust } from "../app-client/ports.ts";
import type { FileVersion } from "../config/load.ts";
import type { Config } from "../config/schema.ts";
import { makeDirectory } from "../journal/make-directory.ts";
import { harmlessLine } from "../protocol/harmless.ts";
import { UsageError } from "../protocol/usage-error.ts";
import { findPortHolder, holderWords } from "./port-holder.ts";

const servingCommands = ["serve", "exec", "dev"] as const;
/** A command that runs a platform. */
export type ServingCommand = (typeof servingCommands)[number];

/** A platform that stays up, as other commands find it: by the directory of its journal and its port. */
export interface AnnouncedPlatform {
  /** The command that runs it. */
  readonly command: ServingCommand;
  /** Where it listens on this machine, without a trailing slash. */
  readonly url: string;
  /** How to verify its server; missing if it speaks plain HTTP. */
  readonly trust?: ServerTrust;
  readonly pid: number;
  /** Needed to run actions there, and to change its clock and faults; a secret. */
  readonly controlToken: string;
  /** The version of app-sim. */
  readonly version: string;
  /** The config file that it read; null if none. */
  readonly configFile: FileVersion | null;
}

/** An announcement is far smaller. */
const ANNOUNCEMENT_LIMIT_BYTES = 65_536;

/** The file that announces a running platform. */
export function runningPlatformPath(directory: string, port: number): string {
  return join(directory, `serve-${port}.json`);
}

/**
 * Announces a platform (0600, because its reader can run actions there). An existing file was left by a platform that
 * was killed: two cannot have the same port.
 * @throws the system's error if the directory cannot be written
 */
export function announcePlatform(directory: string, port: number, platform: AnnouncedPlatform): void {
  makeDirectory(directory);
  const path = runningPlatformPath(directory, port);
  // Removed rather than overwritten: that would keep the mode of the old file, and follow a link.
  rmSync(path, { force: true });
  writeFileSync(path, `${JSON.stringify(platform)}\n`, { mode: 0o600, flag: "wx" });
}

/** Removes the announcement while its platform still has the port, so it cannot be another's. */
export function withdrawPlatform(directory: string, port: number): void {
  try {
    rmSync(runningPlatformPath(directory, port), { force: true });
  } catch {
    // The directory is not writable any more: later commands find that nothing answers.
  }
}

/** The platform that was announced for this port; null if there is no valid file. */
export function findPlatform(directory: string, port: number): AnnouncedPlatform | null {
  const value = readAnnouncement(directory, port);
  return isRunningPlatform(value) ? value : null;
}

/** The content of the file; a platform of another version may have other members. */
function readAnnouncement(directory: string, port: number): Partial<Record<string, unknown>> | null {
  try {
    const file = runningPlatformPath(directory, port);
    // Checked before opening: reading a pipe would block.
    const facts = lstatSync(file);
    if (!facts.isFile() || facts.size > ANNOUNCEMENT_LIMIT_BYTES) return null;
    const value: unknown = JSON.parse(readFileSync(file, "utf8"));
    return typeof value === "object" ? (value as Partial<Record<string, unknown>> | null) : null;
  } catch {
    return null;
  }
}

/**
 * The platform that runs on the configured port; null if there is none.
 * @throws UsageError if it is of another version, which may use another protocol
 */
export function findRunningPlatform(
  { journal, port }: Pick<Config, "journal" | "port">,
  { version }: Pick<Invocation, "version">,
): AnnouncedPlatform | null {
  const platform = readAnnouncement(journal, port);
  const { command, pid, version: other } = platform ?? {};
  if (platform === null || !isAlive(pid)) return null;
  if (other !== version) {
    throw new UsageError(
      "platform-version",
      `app-sim ${command} (process ${pid}) at port ${port} is version ${harmlessLine(String(other ?? "0.1 or older"))}, and this is version ${version}`,
      `restart it with this version, or use another --port for a platform just for this command`,
    );
  }
  return isRunningPlatform(platform) ? platform : null;
}

/** The ports of the platforms in this directory that are running: one that was killed leaves its announcement. */
export function announcedPorts(directory: string): number[] {
  try {
    return readdirSync(directory).flatMap((name) => {
      const port = /^serve-(\d+)\.json$/.exec(name)?.[1];
      if (port === undefined) return [];
      const { pid } = readAnnouncement(directory, Number(port)) ?? {};
      return isAlive(pid) ? [Number(port)] : [];
    });
  } catch {
    return [];
  }
}

/** Starts a platform; if its port is taken, the error says by whom. */
export async function namingHolder<T>(
  { port, journal }: Config,
  { env }: Pick<Invocation, "env">,
  start: () => Promise<T>,
): Promise<T> {
  try {
    return await start();
  } catch (error) {
    if (!(error instanceof UsageError) || error.code !== "port-taken") throw error;
    const holder = findPlatform(journal, port);
    const otherPort = `choose another one, such as --port ${port + 1}; app-sim env --port ${port + 1} prints the matching settings for the app`;
    if (holder === null || !isAlive(holder.pid)) {
      const { message, hint } = holderWords(port, await findPortHolder(port), otherPort);
      throw new UsageError(error.code, message, hint);
    }
    const isInside = holder.command !== "serve" && env.APP_SIM_PORT === String(port);
    throw new UsageError(
      error.code,
      `app-sim ${holder.command} (process ${holder.pid}) uses port ${port}`,
      isInside
        ? `this command starts its own platform and needs no ${holder.command}: run it on its own, or give it another --port`
        : `this command starts its own platform: end that one first, or ${otherPort}`,
    );
  }
}

/** Whether this is the id of a running process. */
function isAlive(pid: unknown): boolean {
  try {
    return Number.isSafeInteger(pid) && process.kill(pid as number, 0);
  } catch (error) {
    // It is running, as another user.
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

function isRunningPlatform(value: unknown): value is AnnouncedPlatform {
  const { command, url, trust, pid, controlToken } = (value ?? {}) as Partial<Record<string, unknown>>;
  if (!servingCommands.some((known) => known === command)) return false;
  // Another user who can write this file must not redirect the commands (hardening S28).
  const isOwn = typeof url === "string" && /^https?:\/\/127\.0\.0\.1(:\d+)?$/.test(url);
  if (!isOwn || (trust !== undefined && !isTrust(trust))) return false;
  return Number.isSafeInteger(pid) && typeof controlToken === "string" && /^[\w-]+$/.test(controlToken);
}

function isTrust(value: unknown): value is ServerTrust {
  const { ca, fingerprint } = (value ?? {}) as Partial<Record<string, unknown>>;
  return typeof ca === "string" && (fingerprint === null || typeof fingerprint === "string");
}
