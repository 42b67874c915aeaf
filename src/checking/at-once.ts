import { setMaxListeners } from "node:events";
import { setImmediate, setTimeout } from "node:timers/promises";
import type { RequestParts } from "./request-parts.ts";

/** Milliseconds that requests wait for one another; one that cannot be sent delays the others no longer than this. */
const MEETING_MS = 500;
/** Milliseconds in which an app accepts the connections, or reads what it was sent. */
const TAKING_MS = 20;

/**
 * Prepares requests to be sent at the same time: the app has accepted all connections before any request is sent, and
 * has read all requests except their last bytes before it gets the first of these. So anything that requests share is
 * shared by all.
 */
export function atOnce(requests: readonly RequestParts[]): RequestParts[] {
  const connected = meetingOf(requests.length);
  const sent = meetingOf(requests.length);
  const taken = async () => {
    await setTimeout(TAKING_MS);
    // An app may run in this process, and Node accepts only one connection per turn of its event loop.
    for (const _ of requests) await setImmediate();
  };
  const pauses = {
    beforeHead: () => connected().then(taken),
    beforeLastByte: () => sent().then(taken),
  };
  return requests.map((request) => ({ ...request, pauses }));
}

/** A barrier at which this many wait for one another. */
function meetingOf(count: number): () => Promise<void> {
  const last = new AbortController();
  setMaxListeners(count, last.signal);
  let missing = count;
  return async () => {
    missing -= 1;
    if (missing === 0) last.abort();
    else await setTimeout(MEETING_MS, undefined, { signal: last.signal }).catch(() => undefined);
  };
}
