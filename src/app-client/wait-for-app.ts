import { connect } from "node:net";
import type { Clock } from "./ports.ts";

const PAUSE_MS = 100;

/** Waits until something listens at the URL (hardening R2); false if nothing does in time. */
export async function waitUntilListening(
  url: string,
  timeoutMs: number,
  clock: Clock,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  const deadline = clock.monotonic() + timeoutMs;
  while (!(await listens(url))) {
    if (clock.monotonic() >= deadline || signal?.aborted === true) return false;
    await clock.pause(PAUSE_MS, signal);
  }
  return true;
}

const CONNECT_TIMEOUT_MS = 500;

/** Whether a TCP connection to the URL's host and port can be made now. */
export function listens(url: string): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  return new Promise((resolve) => {
    const socket = connect({
      host: hostname.replace(/^\[|\]$/g, ""),
      port: Number(port || (protocol === "https:" ? 443 : 80)),
      timeout: CONNECT_TIMEOUT_MS,
    });
    const answer = (isOpen: boolean) => () => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.once("connect", answer(true)).once("error", answer(false)).once("timeout", answer(false));
  });
}
