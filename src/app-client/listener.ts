import { readFile } from "node:fs/promises";
import { platform as system } from "node:process";
import { portOf } from "../config/platform-address.ts";
import type { Clock } from "./ports.ts";
import { listens } from "./wait-for-app.ts";

/** Short enough for somebody who waits for a restart. */
const PAUSE_MS = 250;

/**
 * Who listens on the URL's port: a text that changes with a restart; null: nobody. On Linux, tables in /proc show it
 * without a connection, which TLS servers would report as a failed handshake; elsewhere a connection is made, and a
 * restart between two checks goes unnoticed.
 */
export async function listenerOf(url: string): Promise<string | null> {
  const { hostname } = new URL(url);
  const isLocal = /^(?:127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(hostname);
  const sockets = isLocal ? await listeningSockets(portOf(url)) : [];
  if (sockets.length > 0) return sockets.join();
  // A port may be forwarded without an entry in these tables.
  return (await listens(url)) ? "somebody" : null;
}

/** State of a listening socket in /proc/net/tcp. */
const LISTEN = "0A";
/** Columns of /proc/net/tcp. */
const [LOCAL, STATE, INODE] = [1, 3, 9];

/** Inodes of the sockets that listen on a port of this machine; empty if the system does not say. */
export async function listeningSockets(port: number): Promise<string[]> {
  if (system !== "linux") return [];
  const tables = await Promise.all(
    ["tcp", "tcp6"].map((name) => readFile(`/proc/net/${name}`, "utf8").catch(() => "")),
  );
  const ending = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  return tables
    .flatMap((table) => table.split("\n").map((row) => row.trim().split(/\s+/)))
    .filter((row) => row[STATE] === LISTEN && row[LOCAL]?.endsWith(ending) === true)
    .map((row) => row[INODE] ?? "")
    .sort();
}

/** How the app at a URL changed: it now listens, listens again as another process, or has stopped. */
export type AppChange = "up" | "again" | "down";

/** Reports who listens at the URL, and each change, until the signal is aborted. */
export async function followListener(
  url: string,
  { clock, signal, onChange }: { clock: Clock; signal: AbortSignal; onChange: (change: AppChange) => void },
): Promise<void> {
  let reported: string | null = null;
  let seen: string | null = null;
  let wasUp = false;
  while (!signal.aborted) {
    const now = await listenerOf(url);
    // Only after two equal results: a program that listens on several addresses opens them one after another.
    if (now === seen && now !== reported && !signal.aborted) {
      onChange(now === null ? "down" : wasUp ? "again" : "up");
      reported = now;
      wasUp ||= now !== null;
    }
    seen = now;
    await clock.pause(PAUSE_MS, signal);
  }
}
