import { once, setMaxListeners } from "node:events";
import { setTimeout as pause, setImmediate } from "node:timers/promises";
import type { CallPauses } from "../app-client/ports.ts";
import type { RequestParts } from "./request-parts.ts";

/** Milliseconds that requests wait for the next one; one that cannot be sent delays the others no longer than this. */
const MEETING_MS = 500;
/** Milliseconds that a request waits for the connection of the one before: TCP tries again each second. */
const TURN_MS = 5000;
/** Milliseconds in which an app accepts a connection. */
const ACCEPTING_MS = 2;
/** Milliseconds in which an app accepts the last connection, or reads what it was sent. */
const TAKING_MS = 20;

/**
 * Prepares requests to be sent at the same time: the app has accepted all connections before any request is sent, and
 * has read all requests except their last bytes before it gets the first of these. So anything that requests share is
 * shared by all. They connect one after another: a server with a short queue of connections, such as Python's, loses
 * some of those that come at the same time.
 */
export function atOnce(requests: readonly RequestParts[]): RequestParts[] {
  const connected = meetingOf(requests.length);
  const sent = meetingOf(requests.length);
  const taken = async () => {
    await pause(TAKING_MS);
    // An app may run in this process, and Node accepts only one connection per turn of its event loop.
    for (const _ of requests) await setImmediate();
  };
  const connections = requests.map(() => new AbortController());
  const pausesOf = (index: number): CallPauses => ({
    beforeConnect: async () => {
      const before = connections[index - 1]?.signal;
      if (before === undefined) return;
      await pause(TURN_MS, undefined, { signal: before }).catch(() => undefined);
      await pause(ACCEPTING_MS);
    },
    connectEnded: () => connections[index]?.abort(),
    beforeHead: () => connected().then(taken),
    beforeLastByte: () => sent().then(taken),
  });
  return requests.map((request, index) => ({ ...request, pauses: pausesOf(index) }));
}

/** A barrier at which this many wait for one another, as long as the next one comes in time. */
function meetingOf(count: number): () => Promise<void> {
  const over = new AbortController();
  setMaxListeners(count, over.signal);
  let missing = count;
  let limit: NodeJS.Timeout | undefined;
  return async () => {
    clearTimeout(limit);
    missing -= 1;
    if (missing === 0) over.abort();
    if (over.signal.aborted) return;
    limit = setTimeout(() => over.abort(), MEETING_MS);
    await once(over.signal, "abort");
  };
}
