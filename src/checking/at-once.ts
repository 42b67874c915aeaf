import { setTimeout } from "node:timers/promises";
import type { RequestParts } from "./request-parts.ts";

/** Milliseconds that requests wait for one another; one that cannot be sent holds none up for longer. */
const MEETING_MS = 500;
/** Milliseconds in which an app has read what it was sent. */
const READING_MS = 20;

/**
 * The requests, to be sent at the same time: all are connected before one is sent, and the app has read all of them but
 * their last bytes before it gets one of these. Whatever the requests share is then shared by all.
 */
export function atOnce(requests: readonly RequestParts[]): RequestParts[] {
  const connected = meetingOf(requests.length);
  const read = meetingOf(requests.length);
  const pauses = {
    beforeHead: connected,
    beforeLastByte: async () => {
      await read();
      await setTimeout(READING_MS);
    },
  };
  return requests.map((request) => ({ ...request, pauses }));
}

/** Where so many wait for one another. */
function meetingOf(count: number): () => Promise<void> {
  const last = new AbortController();
  let missing = count;
  return async () => {
    missing -= 1;
    if (missing === 0) last.abort();
    else await setTimeout(MEETING_MS, undefined, { signal: last.signal }).catch(() => undefined);
  };
}
