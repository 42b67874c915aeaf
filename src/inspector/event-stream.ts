import type { ServerResponse } from "node:http";
import { randomIds } from "../app-client/ports.ts";
import { BASE_HEADERS } from "../platform/base-headers.ts";
import type { Feed } from "./feed.ts";

/** Entries in one event: enough for speed, few enough that the page stays responsive meanwhile. */
const BATCH = 1000;
const HEARTBEAT_MS = 15_000;

/** The list as an event stream (WHATWG HTML, 9.2), which goes on after the last event that a page had. */
export class EventStream {
  readonly #feed: Feed;
  /** Numbers of another platform, which had this port before, mean nothing. */
  readonly #epoch = randomIds.secret();

  constructor(feed: Feed) {
    this.#feed = feed;
  }

  /**
   * Sends the entries that the page does not have, then each one as it comes.
   * @param lastEventId what the page got last; undefined: nothing
   */
  send(raw: ServerResponse, lastEventId: string | undefined): void {
    raw.writeHead(200, { ...BASE_HEADERS, "content-type": "text/event-stream" });
    const known = this.#numberIn(lastEventId);
    // Rows that the page has may be of a platform that ended.
    if (known === null) raw.write("event: reset\ndata: {}\n\n");
    let next = known ?? this.#feed.start;
    let isWaiting = false;
    let isComplete = false;
    const flush = () => {
      while (!isWaiting && next < this.#feed.end && !raw.destroyed) {
        const entries = this.#feed.from(next, BATCH);
        next = Math.max(next, this.#feed.start) + entries.length;
        // A page that reads slowly, or not at all, must not fill the memory.
        isWaiting = !raw.write(`id: ${this.#epoch}.${next}\nevent: entries\ndata: ${JSON.stringify(entries)}\n\n`);
      }
      if (isComplete || isWaiting) return;
      isComplete = true;
      raw.write("event: complete\ndata: {}\n\n");
    };
    raw.on("drain", () => {
      isWaiting = false;
      flush();
    });
    flush();
    const stop = this.#feed.subscribe(flush);
    const heartbeat = setInterval(() => raw.write(": still here\n\n"), HEARTBEAT_MS);
    raw.once("close", () => {
      stop();
      clearInterval(heartbeat);
    });
  }

  #numberIn(lastEventId: string | undefined): number | null {
    const [epoch, number] = lastEventId?.split(".") ?? [];
    if (epoch !== this.#epoch || number === undefined || !/^\d{1,15}$/.test(number)) return null;
    return Number(number) < this.#feed.start ? null : Number(number);
  }
}
