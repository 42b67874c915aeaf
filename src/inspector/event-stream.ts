import type { ServerResponse } from "node:http";
import { randomIds } from "../app-client/ports.ts";
import { BASE_HEADERS } from "../platform/base-headers.ts";
import type { Feed } from "./feed.ts";

/** Entries in one event: enough for speed, few enough that the page stays responsive. */
const BATCH = 1000;
const HEARTBEAT_MS = 15_000;

/** The list as an event stream (WHATWG HTML, 9.2), which continues after the last event that a page received. */
export class EventStream {
  readonly #feed: Feed;
  /** Event numbers of an earlier platform on the same port are meaningless. */
  readonly #epoch = randomIds.secret();

  constructor(feed: Feed) {
    this.#feed = feed;
  }

  /**
   * Sends the entries that the page lacks, then each one as it comes.
   * @param lastEventId of the last event received; undefined if there is none
   */
  send(raw: ServerResponse, lastEventId: string | undefined): void {
    raw.writeHead(200, { ...BASE_HEADERS, "content-type": "text/event-stream" });
    const known = this.#numberIn(lastEventId);
    // The page's rows may come from a platform that has ended.
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
